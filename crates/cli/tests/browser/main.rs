//! The dashboard in a real browser: Debian's chromium, driven by chromium-driver.
//!
//! `PLYSMITH_SCREENSHOTS=FOLDER` keeps pictures of every page.

mod driver;
mod journeys;

use std::io::{BufRead, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use driver::Browser;

/// A server on a store of its own. It ends when this is dropped.
pub struct Site {
    folder: tempfile::TempDir,
    /// Where it listens, without a slash at the end.
    pub address: String,
    process: Child,
}

impl Site {
    /// Starts `plysmith serve` on a free port.
    fn start() -> Site {
        let folder = tempfile::tempdir().unwrap();
        let mut command = program(folder.path());
        command.args(["serve", "--address", "127.0.0.1:0", "--json"]).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut json = String::new();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        while !json.trim_end().ends_with('}') {
            json += &lines.next().expect("the server says where it listens").unwrap();
        }
        let listening: serde_json::Value = serde_json::from_str(&json).unwrap();
        let address = listening["url"].as_str().unwrap().trim_end_matches('/').to_string();
        Site { folder, address, process }
    }

    /// Runs a command on the same store, as a user in a terminal does.
    pub fn plysmith(&self, arguments: &[&str]) -> Output {
        let output = program(self.folder.path()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        output
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn program(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plysmith"));
    command.env("PLYSMITH_HOME", home).stdin(Stdio::null());
    command
}

#[test]
fn journeys_through_the_dashboard() {
    let browser = Browser::start().expect(
        "there is no chromium or no chromedriver: install Debian's chromium and chromium-driver, as ./test does, or leave \
         this test out by `--skip journeys`",
    );
    let site = Site::start();
    for (name, journey) in journeys::ALL {
        println!("journey: {name}");
        // Later journeys build on this one, so they are not tried if it fails.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| journey(&browser, &site))) {
            browser.screenshot(&format!("failed-{}", name.replace(' ', "-")));
            println!("the browser's console: {:#?}", browser.errors());
            resume_unwind(panic);
        }
        let errors = browser.errors();
        assert!(errors.is_empty(), "the browser's console says: {errors:#?}");
    }
}
