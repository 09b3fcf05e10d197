"""Runs Plysmith and returns its results as Python values.

    import plysmith

    found = plysmith.run("discover", "breakthrough", quick=True)
    rows = plysmith.rows("last")        # a list of flat records: pandas.DataFrame(rows)

The module calls the program `plysmith` and reads its JSON. It needs nothing but the standard library.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

__all__ = ["Error", "compare", "program", "rows", "run", "runs", "show"]


class Error(Exception):
    """Plysmith ended with an error; the text is what it said.

    `code` is its exit code: 1 failure, 2 invalid input, 3 a check found errors, 130 interrupted.
    """

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def program():
    """The path of the program: PLYSMITH, or the one that came with this module, or the one on the path."""
    name = "plysmith.exe" if os.name == "nt" else "plysmith"
    folders = [Path(sysconfig.get_path("scripts")), Path(sys.executable).parent]
    installed = [str(folder / name) for folder in folders if (folder / name).is_file()]
    found = [os.environ.get("PLYSMITH"), *installed, shutil.which("plysmith")]
    for path in found:
        if path:
            return path
    raise FileNotFoundError("plysmith is not installed beside this module, and not on the path; set PLYSMITH to its path")


def run(*words, **options):
    """Runs a command and returns its result, as `--json` prints it.

    Options are named as on the command line, with `_` for `-`: `run("match", a="modern", b="classic", games=200)`. `True`
    gives an option without a value, `None` and `False` leave it out, and a list is joined by commas.
    """
    return json.loads(_output([*words, *_options(options), "--json"]))


def rows(run="last"):
    """The data of a run as a list of flat records: a measurement, a game or an iteration each.

    A run is named by its number or its label; `last` is the newest. All records have the same keys, and every value is a
    number, a truth value, a name or None.
    """
    lines = _output(["export", run, "--format", "jsonl"]).splitlines()
    return [json.loads(line) for line in lines]


def runs(**filters):
    """The runs in the store, the newest first: `runs(game="chess", kind="match")`."""
    return run("runs", **filters)


def show(run_="last"):
    """A whole run: settings, events and result."""
    return run("show", run_)


def compare(*runs_):
    """Runs side by side: the settings that differ, the numbers that differ, and what features solve in each."""
    return run("compare", *runs_)


def _options(options):
    words = []
    for name, value in options.items():
        option = "--" + name.strip("_").replace("_", "-")
        if value is True:
            words.append(option)
        elif isinstance(value, (list, tuple)):
            words.append(f"{option}={','.join(map(str, value))}")
        elif value is not None and value is not False:
            words.append(f"{option}={value}")
    return words


def _output(words):
    command = [program(), *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")
    if done.returncode != 0:
        raise Error(done.returncode, done.stderr.strip())
    sys.stderr.write(done.stderr)
    return done.stdout
