# A simulation as there are many: it reads input.txt in the folder where it is
# started, writes trajectory.dat there, and prints what it found.
awk '
$2 == "=" { given[$1] = $3 }
END {
    dt = given["time_step"]
    turn = given["angle"] * atan2(0, -1) / 180
    u = given["velocity"] * cos(turn)
    v = given["velocity"] * sin(turn)
    while (y >= 0) {
        speed = sqrt(u * u + v * v)
        u -= dt * given["drag"] * speed * u
        v -= dt * (given["drag"] * speed * v + 9.81)
        x += dt * u
        y += dt * v
        printf "%.4f %.4f\n", x, y >"trajectory.dat"
    }
    printf "steps done, range = %.3f m\n", x
}' input.txt
