//! A browser, driven through chromedriver by the WebDriver protocol: JSON over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long anything that a page does may take. Only a failing test waits that long.
const PATIENCE: Duration = Duration::from_secs(90);
/// The key under which the protocol hands over elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Options that keep the browser from doing anything by itself.
const QUIET: [&str; 12] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--force-device-scale-factor=1",
    "--window-size=1280,900",
];

/// A browser with one window. It ends when this is dropped.
pub struct Browser {
    process: Child,
    port: u16,
    session: String,
    screenshots: Option<PathBuf>,
    _profile: tempfile::TempDir,
}

/// An element of the page.
#[derive(Clone, Debug)]
pub struct Element(String);

impl Browser {
    /// Starts a browser; `None` if there is no chromedriver or no browser on this machine.
    pub fn start() -> Option<Browser> {
        let mut command = Command::new("chromedriver");
        command.args(["--port=0"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().ok()?;
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let port = lines.by_ref().map_while(Result::ok).find_map(|line| {
            line.split_once("started successfully on port ")
                .map(|(_, port)| port.trim_end_matches('.').parse().unwrap())
        });
        let port = port.expect("chromedriver says on which port it listens");
        // It writes more now and then, and would stop if nobody read it.
        std::thread::spawn(move || lines.for_each(drop));
        let profile = tempfile::tempdir().unwrap();
        let screenshots = std::env::var_os("PLYSMITH_SCREENSHOTS").map(PathBuf::from);
        let mut browser = Browser { process, port, session: String::new(), screenshots, _profile: profile };
        let folder = format!("--user-data-dir={}", browser._profile.path().display());
        let arguments: Vec<&str> = QUIET.into_iter().chain([folder.as_str()]).collect();
        let options = json!({ "args": arguments });
        let asked = json!({ "capabilities": { "alwaysMatch": { "goog:chromeOptions": options } } });
        match browser.request("POST", "/session", Some(&asked)) {
            Ok(answer) => browser.session = answer["sessionId"].as_str().unwrap().to_string(),
            Err(error) if error.contains("cannot find Chrome binary") => return None,
            Err(error) => panic!("the browser did not start: {error}"),
        }
        Some(browser)
    }

    /// Opens an address.
    pub fn open(&self, address: &str) {
        self.command("POST", "/url", Some(&json!({ "url": address })));
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        self.command("GET", "/url", None).as_str().unwrap().to_string()
    }

    /// The first element that a selector finds, once there is one.
    pub fn find(&self, selector: &str) -> Element {
        self.until(&format!("there is no {selector}"), || self.all(selector).into_iter().next())
    }

    /// All elements that a selector finds now.
    pub fn all(&self, selector: &str) -> Vec<Element> {
        let asked = json!({ "using": "css selector", "value": selector });
        let found = self.command("POST", "/elements", Some(&asked));
        found
            .as_array()
            .unwrap()
            .iter()
            .map(|element| Element(element[ELEMENT].as_str().unwrap().to_string()))
            .collect()
    }

    /// The first link or button with this text, once there is one.
    pub fn named(&self, text: &str) -> Element {
        let path = format!(
            "//*[self::a or self::button or self::summary][contains(normalize-space(.), \"{text}\") and not(@hidden)]"
        );
        let asked = json!({ "using": "xpath", "value": path });
        let find = || {
            let found = self.command("POST", "/elements", Some(&asked));
            found.as_array()?.first().map(|element| Element(element[ELEMENT].as_str().unwrap().to_string()))
        };
        self.until(&format!("nothing is named '{text}'"), find)
    }

    /// Clicks an element, after it was brought into view.
    pub fn click(&self, element: &Element) {
        self.command("POST", &format!("/element/{}/click", element.0), Some(&json!({})));
    }

    /// Writes into a field, in place of what is there.
    pub fn fill(&self, selector: &str, text: &str) {
        let field = self.find(selector);
        self.command("POST", &format!("/element/{}/clear", field.0), Some(&json!({})));
        self.command("POST", &format!("/element/{}/value", field.0), Some(&json!({ "text": text })));
    }

    /// The text of the whole page.
    pub fn page_text(&self) -> String {
        self.run("return document.body.innerText").as_str().unwrap_or_default().to_string()
    }

    /// Runs a script in the page; gives what it returns.
    pub fn run(&self, script: &str) -> Value {
        self.command("POST", "/execute/sync", Some(&json!({ "script": script, "args": [] })))
    }

    /// Waits until the page contains a text.
    pub fn wait_for_text(&self, text: &str) {
        let find = || self.page_text().contains(text).then_some(());
        self.until(&format!("the page does not say '{text}'"), find);
    }

    /// Waits until a script returns true.
    pub fn wait_for(&self, what: &str, script: &str) {
        self.until(what, || (self.run(script) == json!(true)).then_some(()));
    }

    /// Waits for something.
    pub fn until<T>(&self, otherwise: &str, find: impl Fn() -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = find() {
                return found;
            }
            if Instant::now() > deadline {
                self.screenshot("failure");
                panic!("{otherwise}; {} shows:\n{}", self.address(), self.page_text());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Cuts the browser off from every network, this machine's included.
    pub fn go_offline(&self, is_offline: bool) {
        let conditions =
            json!({ "offline": is_offline, "latency": 0, "download_throughput": -1, "upload_throughput": -1 });
        self.command("POST", "/chromium/network_conditions", Some(&json!({ "network_conditions": conditions })));
    }

    /// What the browser's console says: errors of scripts, and what the content security policy forbade.
    pub fn errors(&self) -> Vec<String> {
        let entries = self.command("POST", "/se/log", Some(&json!({ "type": "browser" })));
        let entries = entries.as_array().cloned().unwrap_or_default();
        let severe = entries.iter().filter(|entry| entry["level"] == "SEVERE");
        severe.map(|entry| entry["message"].as_str().unwrap_or_default().to_string()).collect()
    }

    /// Pictures of the page, light, dark and on a phone, if `PLYSMITH_SCREENSHOTS` names a folder.
    pub fn screenshot(&self, name: &str) {
        let Some(folder) = &self.screenshots else { return };
        std::fs::create_dir_all(folder).unwrap();
        for (suffix, scheme, width) in [("", "light", 1280), ("-dark", "dark", 1280), ("-phone", "light", 390)] {
            self.emulate(scheme, width);
            let height =
                self.run("return document.documentElement.scrollHeight").as_u64().unwrap_or(900).clamp(600, 2400);
            let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
            let asked = json!({ "format": "png", "clip": clip, "captureBeyondViewport": true });
            let picture = self.developer("Page.captureScreenshot", &asked);
            let bytes = from_base64(picture["data"].as_str().unwrap());
            std::fs::write(folder.join(format!("{name}{suffix}.png")), bytes).unwrap();
        }
        self.developer("Emulation.clearDeviceMetricsOverride", &json!({}));
        self.developer("Emulation.setEmulatedMedia", &json!({ "features": [] }));
    }

    fn emulate(&self, scheme: &str, width: u32) {
        // Without motion: a picture in the middle of a change of colours would show neither.
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.developer("Emulation.setEmulatedMedia", &json!({ "features": features }));
        let metrics = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.developer("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// A command of the developer tools.
    pub fn developer(&self, command: &str, parameters: &Value) -> Value {
        self.command("POST", "/goog/cdp/execute", Some(&json!({ "cmd": command, "params": parameters })))
    }

    fn command(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let path = format!("/session/{}{path}", self.session);
        self.request(method, &path, body).unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
        let text = body.map(Value::to_string).unwrap_or_default();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(|error| error.to_string())?;
        stream.set_read_timeout(Some(2 * PATIENCE)).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n",
            self.port,
            text.len()
        );
        stream.write_all((head + &text).as_bytes()).map_err(|error| error.to_string())?;
        let (status, body) = read_answer(stream).map_err(|error| error.to_string())?;
        let answer: Value = serde_json::from_str(&body).map_err(|error| format!("{error}: {body}"))?;
        if status == 200 { Ok(answer["value"].clone()) } else { Err(answer["value"]["message"].to_string()) }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            let _ = self.request("DELETE", &format!("/session/{}", self.session), None);
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The status and the body of an answer with a length.
fn read_answer(stream: TcpStream) -> std::io::Result<(u16, String)> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut status, mut length) = (String::new(), 0, 0);
    while reader.read_line(&mut line)? > 2 {
        if let Some(code) = line.strip_prefix("HTTP/1.1 ") {
            status = code[..3].parse().unwrap();
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok((status, String::from_utf8_lossy(&body).into_owned()))
}

fn from_base64(text: &str) -> Vec<u8> {
    let digit = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let letters: Vec<u8> = text.bytes().filter(|letter| *letter != b'=').collect();
    let mut bytes = Vec::new();
    for group in letters.chunks(4) {
        let bits = group.iter().fold(0_u32, |bits, letter| (bits << 6) | u32::from(digit(*letter)));
        let bits = bits << (6 * (4 - group.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    bytes
}

/// The address of a file on the disk.
pub fn file_address(path: &Path) -> String {
    format!("file://{}", path.display())
}
