//! `plysmith serve`: the dashboard, a web server on this machine.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use clap::Args;
use plysmith_runs::files::read_text;
use plysmith_store::{Home, Store};
use plysmith_web::launch::{Launcher, launcher};
use plysmith_web::secret::random_token;
use plysmith_web::server::Server;
use plysmith_web::shared::Options;
use plysmith_web::{App, Shared};
use serde::Serialize;

use crate::failure::Failure;
use crate::forms;
use crate::output::{Output, say};
use crate::signals::cancel_token;

/// The port that is used unless another is named.
const PORT: u16 = 7259;
/// The fewest letters of a token: 96 bits, if they are hexadecimal digits.
const SHORTEST_TOKEN: usize = 24;

/// Show runs in a browser, live
#[derive(Debug, Args)]
#[command(after_help = "\
The pages are on this machine only, and nothing is loaded from elsewhere. Everybody who may use this machine's network \
can open them; with --token-file only those who have the token. An address that other machines can reach needs \
--token-file. Traffic is not encrypted: across a network, use an SSH tunnel (ssh -L 7259:127.0.0.1:7259 HOST).

Runs that are started from a page end when the server does; `plysmith resume` continues them.

Examples:
  plysmith serve --open
  plysmith serve --address 127.0.0.1:8000 --allow-engines
  plysmith serve --address 0.0.0.0:8000 --token-file token.txt")]
pub struct Arguments {
    /// Address and port to listen on; port 0 is any free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)))]
    address: SocketAddr,

    /// Open the dashboard in a browser
    #[arg(long)]
    open: bool,

    /// Ask for the token in this file; a file that does not exist is made with a new token
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// Let pages start external engines. Who can open the pages can then run any program on this machine
    #[arg(long)]
    allow_engines: bool,
}

/// What `--json` prints when the server listens.
#[derive(Serialize)]
struct Listening {
    url: String,
    address: String,
    needs_token: bool,
}

pub fn run(arguments: &Arguments, output: &Output) -> Result<(), Failure> {
    let token = arguments.token()?;
    // Before any thread is started.
    let cancel = cancel_token();
    let home = Home::from_env()?;
    let store = Arc::new(Store::open_to_read(&home.store_path())?);
    let options = Options { allow_engines: arguments.allow_engines, token: token.clone() };
    let shared = Shared::new(store, options).with_launcher(arguments.launcher(home)?);
    let live = Arc::clone(&shared.live);
    std::thread::spawn(move || live.warm_up());
    let app = App::new(shared);
    let server = Server::bind(arguments.address, app).map_err(|error| {
        Failure::input(format!(
            "cannot listen on {}: {error}; name another address with --address, or port 0 for any free port",
            arguments.address
        ))
    })?;
    let address = server.address().map_err(|error| Failure::Failed(error.into()))?;
    let url = format!("http://{address}/");
    let listening = Listening { url: url.clone(), address: address.to_string(), needs_token: token.is_some() };
    output.print(&listening, || format!("Plysmith's dashboard is at {url} (Ctrl-C stops it).\n"))?;
    if let Some(file) = &arguments.token_file {
        say(format!("The token is in {}.", file.display()));
    }
    if arguments.open {
        let login = token.map_or(String::new(), |token| format!("login?token={token}"));
        open_browser(&format!("{url}{login}"));
    }
    server.run(|| cancel.is_cancelled()).map_err(|error| Failure::Failed(error.into()))
}

impl Arguments {
    /// Starts runs as processes of this program.
    fn launcher(&self, home: Home) -> Result<Launcher, Failure> {
        let program = std::env::current_exe().map_err(|error| Failure::Failed(error.into()))?;
        let check = Box::new(|words: &[String]| forms::check::<crate::Arguments>(words));
        Ok(launcher(&program, home, self.allow_engines, forms::forms::<crate::Arguments>(), check))
    }

    fn token(&self) -> Result<Option<String>, Failure> {
        match &self.token_file {
            Some(file) => read_or_make_token(file).map(Some),
            None if self.address.ip().is_loopback() => Ok(None),
            None => Err(Failure::input(format!(
                "other machines can reach {}; add --token-file FILE, so that only those who have the token in that file \
                 can use the dashboard",
                self.address
            ))),
        }
    }
}

fn read_or_make_token(file: &Path) -> Result<String, Failure> {
    if !file.exists() {
        let token = random_token();
        make_private(file, &token)
            .map_err(|error| Failure::input(format!("cannot write the token to {}: {error}", file.display())))?;
        return Ok(token);
    }
    let text = read_text(file, "a token on its first line", false)?;
    let token = text.lines().next().unwrap_or_default().trim();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    if token.len() < SHORTEST_TOKEN || !token.chars().all(is_plain) {
        return Err(Failure::input(format!(
            "{}: the token must have at least {SHORTEST_TOKEN} letters, digits, '-', '_' or '.'; delete the file to get a \
             new one",
            file.display()
        )));
    }
    Ok(token.to_string())
}

/// Makes a file that only its owner can read.
fn make_private(file: &Path, token: &str) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(format!("{token}\n").as_bytes())
}

/// Opens a browser. Where that fails, the address has been printed.
fn open_browser(url: &str) {
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(before).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Err(error) = command.spawn() {
        say(format!("note: cannot open a browser ({program}: {error}); open {url} in one"));
    }
}
