# A small Julia program: gradient descent, with its loss after each epoch.
# By hand: julia train.jl
param(name, otherwise) = haskey(ENV, "THRONG_P_" * name) ?
    parse(typeof(otherwise), ENV["THRONG_P_" * name]) : otherwise

# `::throng` at the start of a line is a report.
function report(step; metrics...)
    values = join(["$name=$value" for (name, value) in metrics], " ")
    println("::throng step=$step $values")
    flush(stdout)
end

# The file appears when throng asks the program to finish.
should_stop() = haskey(ENV, "THRONG_STOP") && isfile(ENV["THRONG_STOP"])

function train(lr, momentum, epochs)
    x, y, dx, dy = 3.0, 2.0, 0.0, 0.0
    for epoch in 1:epochs
        dx = momentum * dx - lr * x
        dy = momentum * dy - lr * 8 * y
        x += dx
        y += dy
        report(epoch; loss = x^2 / 2 + 4 * y^2)
        should_stop() && break
    end
end

train(param("lr", 0.1), param("momentum", 0.9), param("epochs", 20))
