/* sandbox.h - a bundle that runs where nothing of ours is
 *
 * A pool without a common disk gives each job a folder of its own somewhere,
 * the sandbox, puts there what was sent with the job, and brings one folder
 * back. In the sandbox of bundle i lie
 *
 *   throng-worker      which runs in it
 *   <i>.in/<i>.tasks   the tasks; their paths are relative to the sandbox
 *   <i>.in/was/<k>…    what earlier attempts left that tasks go on from, models
 *                      and the rows that they are asked about
 *   <i>.asked          what was asked of tasks before this start of the job
 *   …                  files of the study, under the names that they have
 *                      below its folder
 *   throng-out/        what comes back: `layout`, which is sent along, so that
 *                      there always is something, the records <i>.said.<k>,
 *                      and trials/, where the folders of trials are
 *
 * What is sent and what comes back is laid flat on its way (sys's dir_flatten):
 * HTCondor carries no links to folders, and not every version carries folders
 * in folders where a job is begun again.
 * On this side <i>.in lies beside <i>.tasks, which has the paths of this side,
 * and throng-out arrives as <i>.out. Private to this folder. */
#ifndef THRONG_ENGINE_SANDBOX_H
#define THRONG_ENGINE_SANDBOX_H

#include "engine/engine.h"
#include "engine/scheduler.h"

#define SANDBOX_OUT "throng-out"

/* Makes <stem>.in. `folder` is the study's. */
int sandbox_pack(const struct engine_travel *travel, const char *folder,
                 const struct job_bundle *b, struct err *err);
/* What has come back as <stem>.out is put where it belongs: folders of trials
 * below `folder`, records beside the bundle. Nothing is lost when that is
 * interrupted, and done again. 0 as well where nothing came. */
int sandbox_arrive(const char *folder, const char *stem, struct err *err);

#endif
