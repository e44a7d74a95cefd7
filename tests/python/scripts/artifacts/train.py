"""Models, tables, pictures and files that are kept."""
import argparse
import os
import tempfile

import wandb

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int)
args = parser.parse_args()

run = wandb.init(config=args, job_type="train", group="artifacts")
wandb.watch(object(), log="all", log_freq=10)
folder = tempfile.mkdtemp()
table = wandb.Table(columns=["input", "predicted"])
for epoch in range(3):
    path = os.path.join(folder, "model.pt")
    with open(path, "w") as file:
        file.write("weights %d" % (args.width + min(epoch, 1)))
    artifact = wandb.Artifact("model-%s" % run.id, type="model",
                              metadata={"epoch": epoch})
    artifact.add_file(path)
    run.log_artifact(artifact, aliases=["latest", "epoch_%d" % epoch])
    table.add_data(epoch, epoch * args.width)
    wandb.log({
        "loss": 1.0 / args.width,
        "weights": wandb.Histogram([0.1 * i for i in range(args.width)]),
        "sample": wandb.Image([[0.0, 0.5], [1.0, 0.25]], caption="noise"),
    })
wandb.log({"predictions": table, "note": "done"})
with open(os.path.join(wandb.run.dir, "model.txt"), "w") as file:
    file.write("in the run's folder")
with open(os.path.join(folder, "extra.txt"), "w") as file:
    file.write("saved")
wandb.save(os.path.join(folder, "*.txt"), base_path=folder)
wandb.alert(title="Done", text="trained")
best = run.use_artifact("model-%s:latest" % run.id)
with open(os.path.join(best.download(), "model.pt")) as file:
    assert file.read() == "weights %d" % (args.width + 1)
run.finish()
