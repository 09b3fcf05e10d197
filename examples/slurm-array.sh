#!/bin/bash
# Does the shards of a run as a Slurm job array, one shard for each task. UNTESTED: there was no Slurm to try it on.
#
#   plysmith plan 7 --shards 100 --output shards
#   sbatch --array=1-100 slurm-array.sh shards/run-7 100
#   plysmith merge shards/*.results && plysmith resume 7      # when all tasks have ended
#
# A task that was killed or ran out of time continues where it was when it is submitted again:
#
#   sbatch --array=17,42 slurm-array.sh shards/run-7 100
#
#SBATCH --job-name=plysmith
#SBATCH --cpus-per-task=8
#SBATCH --mem-per-cpu=500M
#SBATCH --time=02:00:00
#SBATCH --requeue
#SBATCH --signal=TERM@60
#SBATCH --output=%x-%A-%a.log

set -euo pipefail

name=${1:?usage: sbatch --array=1-K slurm-array.sh NAME K, with NAME like shards/run-7}
count=${2:?usage: sbatch --array=1-K slurm-array.sh NAME K}
shard="$name.$SLURM_ARRAY_TASK_ID-of-$count.shard"

# exec, so that Slurm's signal reaches plysmith itself, which then stops between jobs.
exec plysmith run-shard "$shard" --threads "${SLURM_CPUS_PER_TASK:-1}"
