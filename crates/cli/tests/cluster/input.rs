//! What is wrong is said, with what to do about it; the run goes on or can be resumed.

use crate::broker::Broker;
use crate::runs::with;
use crate::support::{Home, PLYSMITH, Running, SMALL_DISCOVERY};

/// A discovery on this cluster, with these variables.
fn discover(home: &Home, url: &str, variables: &[(&str, &str)]) -> Running {
    let mut command = home.command(PLYSMITH, &with(SMALL_DISCOVERY, &["--cluster", url]));
    command.envs(variables.iter().copied());
    Running::spawn(command)
}

#[test]
fn wrong_addresses_are_told() {
    let home = Home::new();
    let fails = |url: &str, code: i32, said: &[&str]| discover(&home, url, &[]).end().fails(code, said);
    fails("localhost", 2, &["has no scheme", "nats://HOST"]);
    fails("http://localhost", 2, &["'http' is not a scheme"]);
    fails("nats://me:secret@localhost", 2, &["must not contain credentials", "PLYSMITH_CLUSTER_TOKEN"]);
    fails("nats://10.255.0.1", 2, &["on another machine", "--cluster-insecure", "neither TLS nor credentials"]);
    // Nobody listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    fails(&format!("nats://127.0.0.1:{port}"), 1, &["cannot reach the broker", "nats-server", "-js"]);
    home.run(&["worker"]).fails(2, &["name a cluster", "PLYSMITH_CLUSTER"]);
    home.run(&["worker", "--cluster", "nats://localhost", "--engine", "x"]).fails(2, &["NAME=COMMAND"]);
    home.file("bad.toml", "thread = 3");
    home.run(&["worker", "--config", "bad.toml"]).fails(2, &["bad.toml", "unknown field `thread`"]);
    assert_eq!(home.run(&["runs", "--json"]).ok().json(), serde_json::json!([]), "nothing of that began a run");
}

#[test]
fn credentials_are_needed_where_the_broker_wants_them() {
    let broker = Broker::with("authorization { token: s3cret }");
    let home = Home::new();
    discover(&home, &broker.url(), &[]).end().fails(1, &["refuses these credentials", "PLYSMITH_CLUSTER_TOKEN"]);
    let wrong = [("PLYSMITH_CLUSTER_TOKEN", "guess")];
    let ran = discover(&home, &broker.url(), &wrong).end().fails(1, &["refuses these credentials"]);
    assert!(!ran.stderr.contains("guess"), "{}", ran.stderr);
    let file = home.file("token", "s3cret\n");
    let right = format!("@{}", file.display());
    let mut status = home.command(PLYSMITH, &["cluster", "status", "--cluster", &broker.url()]);
    status.env("PLYSMITH_CLUSTER_TOKEN", right);
    assert!(Running::spawn(status).end().ok().stdout.contains("No worker is there"));
}

#[test]
fn the_connection_is_encrypted_if_the_address_says_so() {
    let home = Home::new();
    let file = |name: &str| home.path().join(name).display().to_string();
    home.file("names", "subjectAltName=DNS:localhost,IP:127.0.0.1");
    let openssl = |words: &str| {
        let ran = home.command("openssl", &words.split(' ').collect::<Vec<_>>()).output();
        let ran = ran.expect("the tests of TLS need openssl; ./test installs it");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    };
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(&format!("req -x509 {key} -keyout ca.key -out ca.pem -days 2 -subj /CN=test"));
    openssl(&format!("req {key} -keyout server.key -out server.csr -subj /CN=localhost"));
    openssl("x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out server.pem -days 2 -extfile names");
    let tls = format!("tls {{ cert_file: \"{}\", key_file: \"{}\" }}", file("server.pem"), file("server.key"));
    let broker = Broker::with(&format!("{tls}\nauthorization {{ token: s3cret }}"));
    let url = format!("tls://localhost:{}", broker.port());
    let status = |variables: &[(&str, &str)]| {
        let mut command = home.command(PLYSMITH, &["cluster", "status", "--cluster", &url]);
        command.envs(variables.iter().copied());
        Running::spawn(command).end()
    };
    let (ca, token) = (("PLYSMITH_CLUSTER_CA", file("ca.pem")), ("PLYSMITH_CLUSTER_TOKEN", "s3cret"));
    let ca = (ca.0, ca.1.as_str());
    status(&[token]).fails(1, &["PLYSMITH_CLUSTER_CA"]);
    status(&[ca]).fails(1, &["refuses these credentials"]);
    status(&[ca, ("PLYSMITH_CLUSTER_TOKEN", "guess")]).fails(1, &["refuses these credentials"]);
    assert!(status(&[ca, token]).ok().stdout.contains("No worker is there"));
}

#[test]
fn a_broker_without_jetstream_or_with_foreign_streams_is_told() {
    let home = Home::new();
    let bare = Broker::with("# no jetstream");
    discover(&home, &bare.url(), &[]).end().fails(1, &["JetStream is not enabled", "-js"]);
    let broker = Broker::start();
    let request = "{\"name\":\"plysmith-main-jobs\",\"subjects\":[\"theirs.*\"]}";
    let create = format!("PUB $JS.API.STREAM.CREATE.plysmith-main-jobs answer {}\r\n{request}\r\n", request.len());
    broker.say(create.as_bytes());
    let url = broker.url();
    let said = ["a stream 'plysmith-main-jobs' that is not plysmith's", "theirs.*", "/OTHER"];
    discover(&home, &url, &[]).end().fails(1, &said);
    // Under another name there is no such stream.
    home.run(&["cluster", "status", "--cluster", &format!("{url}/mine")]).ok();
}

#[test]
fn a_broker_without_room_is_told() {
    let broker = Broker::with("jetstream { store_dir: \"STORE\", max_file_store: 1MB }");
    let home = Home::new();
    discover(&home, &broker.url(), &[]).end().fails(1, &["has no room", "max_file_store"]);
}

#[test]
fn messages_from_strangers_are_ignored() {
    let broker = Broker::start();
    let home = Home::new();
    let _worker = broker.worker(&home, "a.log");
    broker.wait_for_workers(&home, 1);
    // What is larger than the broker takes ends the stranger's connection.
    let mut huge = b"PUB plysmith.main.result.x 104857600\r\n".to_vec();
    huge.resize(huge.len() + (100 << 20), b'x');
    let heard = broker.say(&huge);
    assert!(heard.contains("Maximum Payload Violation") || !heard.contains("PONG"), "{heard}");
    let run = home.start(&with(SMALL_DISCOVERY, &["--cluster", &broker.url()]));
    let key = "0".repeat(32);
    for (subject, text) in [
        (format!("plysmith.main.result.{key}"), "no JSON".to_string()),
        (format!("plysmith.main.result.{key}"), "{\"version\":9}".to_string()),
        ("plysmith.main.member.worker.x".to_string(), "{\"version\":1}".to_string()),
        (format!("plysmith.main.job.{key}"), "{\"version\":1,\"signature\":\"\",\"envelope\":7}".to_string()),
        (format!("plysmith.main.job.{}", "1".repeat(32)), "x".repeat(1 << 19)),
        (format!("plysmith.main.blob.{key}"), "[]".to_string()),
        ("plysmith.main.withdrawal".to_string(), "{\"version\":1,\"keys\":[\"../../x\"]}".to_string()),
    ] {
        broker.say(format!("PUB {subject} {}\r\n{text}\r\n", text.len()).as_bytes());
    }
    run.end().ok();
    let here = Home::new();
    here.run(SMALL_DISCOVERY).ok();
    assert_eq!(home.exported(1), here.exported(1));
}

#[test]
fn a_worker_waits_for_a_broker_that_is_restarted_as_another() {
    let mut broker = Broker::start();
    let home = Home::new();
    let worker = broker.worker(&home, "a.log");
    broker.wait_for_workers(&home, 1);
    broker.kill();
    broker.wipe();
    broker.revive();
    broker.wait_for_workers(&home, 1);
    home.run(&with(SMALL_DISCOVERY, &["--cluster", &broker.url()])).ok();
    worker.signal(&["TERM"]);
    assert!(!worker.end().ok().stdout.contains("did 0 jobs"));
}
