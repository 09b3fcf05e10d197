//! A full disk, and outputs that nobody takes.
//!
//! The full disk is a real one: a small tmpfs, mounted for one shell alone in a namespace of its own.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::support::{Home, PLYSMITH, Ran, Running, SMALL_DISCOVERY, skipped};

/// Fills the disk with a discovery, looks at it, makes room, goes on; what each step said is put beside the disk.
const FILL_AND_RESUME: &str = r#"
step() { name=$1; shift; "$@" > "$REPORT/$name.out" 2> "$REPORT/$name.err"; echo $? > "$REPORT/$name.code"; }
mount -t tmpfs -o size=$SIZE tmpfs "$PLYSMITH_HOME" && cp "$REPORT/small.suite" "$PLYSMITH_HOME" || exit 77
cd "$PLYSMITH_HOME"
step full "$PLYSMITH" $WORK
step again "$PLYSMITH" resume 1
cat /dev/zero > rest 2> /dev/null
step write "$PLYSMITH" program --simplify --output new.gp --nodes 100
step make "$PLYSMITH" suite generate breakthrough --count 5 --plies 3 --size 5x5 --output new.suite
ls -A > "$REPORT/left.out"
mount -o remount,size=64m "$PLYSMITH_HOME" || exit 77
step shown "$PLYSMITH" show 1 --json
step resume "$PLYSMITH" resume --json
step export "$PLYSMITH" export 1
"#;

/// How the script says that it was not let.
const CANNOT_MOUNT: i32 = 77;

/// What a step of the script said.
fn step(report: &Home, name: &str) -> Ran {
    Ran {
        command: name.to_string(),
        code: report.read(&format!("{name}.code")).trim().parse().ok(),
        stdout: report.read(&format!("{name}.out")),
        stderr: report.read(&format!("{name}.err")),
    }
}

/// Runs the script on a disk of this size; says why where nothing can be mounted.
fn fill(report: &Home, size: &str) -> Result<(), String> {
    let disk = report.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let mut command = report.command("unshare", &["-rm", "sh", "-c", FILL_AND_RESUME]);
    command.env("PLYSMITH_HOME", &disk).env("REPORT", report.path()).env("PLYSMITH", PLYSMITH);
    command.env("SIZE", size).env("WORK", SMALL_DISCOVERY.join(" "));
    let ran = Running::spawn(command).end();
    match ran.code {
        Some(0) => Ok(()),
        _ if ran.code == Some(CANNOT_MOUNT) || ran.stderr.contains("unshare") => {
            Err(format!("no mounts here: {ran:?}"))
        }
        _ => panic!("{ran:?}"),
    }
}

#[test]
fn a_full_disk_is_said_and_nothing_is_lost() {
    let undisturbed = Home::new();
    undisturbed.run(SMALL_DISCOVERY).ok();
    let expected = undisturbed.exported(1);
    let mut hit_at_work = 0;
    for size in ["192k", "256k", "384k"] {
        let report = Home::new();
        if let Err(reason) = fill(&report, size) {
            skipped("a_full_disk_is_said_and_nothing_is_lost", &reason);
            return;
        }
        step(&report, "full").fails(1, &["disk full", "nothing that was stored is lost", "`plysmith resume`"]);
        step(&report, "again").fails(1, &["disk full", "free some space"]);
        step(&report, "write").fails(1, &["cannot write new.gp", "No space left"]);
        step(&report, "make").fails(1, &["disk full", "nothing that was stored is lost"]);
        let left = report.read("left.out");
        assert!(
            !left.contains("new.gp")
                && !left.contains("new.suite")
                && !left.contains("probe")
                && !left.contains(".tmp"),
            "left on a full disk of {size}: {left}"
        );

        let shown = step(&report, "shown").ok().json();
        let (found, all) = (shown["events"].as_array().unwrap(), expected["events"].as_array().unwrap());
        assert!(all.starts_with(found), "what is stored is no prefix of the undisturbed run");
        hit_at_work += usize::from(!found.is_empty());
        assert_eq!(shown["status"], "interrupted");
        assert_eq!(step(&report, "resume").ok().json(), expected["result"]);
        assert_eq!(step(&report, "export").ok().json()["events"], expected["events"], "on a disk of {size}");
    }
    assert!(hit_at_work > 0, "no disk was large enough to begin on");
}

/// Runs with one of its outputs on a device that is always full.
fn with_full(home: &Home, arguments: &[&str], redirect: &str) -> Ran {
    let script = format!("exec \"$0\" \"$@\" {redirect}");
    Running::spawn(home.command("sh", &[&["-c", &script, PLYSMITH], arguments].concat())).end()
}

#[test]
fn a_result_that_cannot_be_written_is_said() {
    let home = Home::new();
    home.run(SMALL_DISCOVERY).ok();
    for arguments in [
        &[][..],
        &["runs"],
        &["show", "1"],
        &["export", "1"],
        &["features", "breakthrough"],
        &["completions", "bash"],
        &["perft", "breakthrough", "1", "--json"],
        SMALL_DISCOVERY,
    ] {
        with_full(&home, arguments, "> /dev/full").fails(1, &["cannot write the result", "No space left"]);
    }
    assert_eq!(home.status(2), "finished", "the run itself is safe, and `show` prints it again");
}

/// A log on a full disk must not turn a message into a crash.
#[test]
fn a_message_that_cannot_be_written_changes_nothing() {
    let home = Home::new();
    let code = |arguments: &[&str], redirect| with_full(&home, arguments, redirect).code;
    for redirect in ["2> /dev/full", "2>&-"] {
        assert_eq!(code(&["discover", "go"], redirect), Some(2), "{redirect}");
        assert_eq!(code(&["resume", "7"], redirect), Some(2), "{redirect}");
        let output = if redirect == "2>&-" { "closed.suite" } else { "full.suite" };
        let generate =
            ["suite", "generate", "breakthrough", "--count", "1", "--plies", "3", "--size", "5x5", "--output"];
        assert_eq!(code(&[&generate[..], &[output]].concat(), redirect), Some(0), "{redirect}");
        assert!(home.path().join(output).exists());
    }
}

#[test]
fn a_reader_that_goes_away_is_no_trouble() {
    let home = Home::new();
    home.run(SMALL_DISCOVERY).ok();
    for arguments in
        [&["export", "1"][..], &["features", "breakthrough"], &["completions", "zsh"], &["--help"], SMALL_DISCOVERY]
    {
        // As `| head -1` does it: reads a line, then closes.
        let mut command = home.command(PLYSMITH, arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ended = Ran::of(&arguments.join(" "), child.wait_with_output().unwrap());
        assert!(!line.is_empty());
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    }
}

#[test]
fn closed_outputs_are_no_trouble() {
    let home = Home::new();
    let ran = with_full(&home, SMALL_DISCOVERY, ">&- 2>&-");
    assert!(ran.code.is_some_and(|code| code < 100), "{ran:?}");
    assert_eq!(home.status(1), "finished");
    // The store's own files must not have taken the place of standard output.
    assert_eq!(home.run(&["show", "1"]).ok().stderr, "");
}

#[test]
fn dev_full_is_what_these_tests_take_it_for() {
    use std::io::Write;
    let written = OpenOptions::new().write(true).open("/dev/full").and_then(|mut full| full.write_all(b"x"));
    assert!(written.is_err(), "/dev/full takes data: `rm /dev/full; mknod -m 666 /dev/full c 1 7` mends it");
}
