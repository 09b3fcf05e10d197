//! Where the broker is, and how we prove who we are.
//!
//! An address is `nats://HOST:PORT[,HOST:PORT…][/NAME]`; runs and workers that name the same cluster find each other.
//! Credentials come from files or from the environment, never from the command line, where `ps` shows them. Without them,
//! and without TLS, only a broker on this machine is accepted, unless the caller insists.

use std::env;
use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use async_nats::{ConnectOptions, ServerAddr};

use crate::error::{CREDENTIALS, ClusterError};

/// The name of a cluster that has none.
const DEFAULT_NAME: &str = "main";

/// Longer names make longer subjects, which the broker limits.
const LONGEST_NAME: usize = 32;

/// A broker and the name of a cluster on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    servers: Vec<ServerAddr>,
    name: String,
}

impl Address {
    /// The cluster's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The brokers.
    pub(crate) fn servers(&self) -> &[ServerAddr] {
        &self.servers
    }

    /// The first broker, for messages.
    pub fn url(&self) -> String {
        self.servers
            .first()
            .map(|server| format!("{}://{}:{}", server.scheme(), server.host(), server.port()))
            .unwrap_or_default()
    }

    /// Whether all brokers are on this machine.
    pub fn is_loopback(&self) -> bool {
        let is_local = |server: &ServerAddr| {
            let host = server.host();
            host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        };
        self.servers.iter().all(is_local)
    }

    fn demands_tls(&self) -> bool {
        self.servers.iter().all(ServerAddr::tls_required)
    }
}

impl FromStr for Address {
    type Err = ClusterError;

    fn from_str(text: &str) -> Result<Address, ClusterError> {
        let wrong = |why: &str| {
            let form = "expected nats://HOST[:PORT][,HOST[:PORT]…][/NAME], or tls:// for TLS";
            ClusterError::Input(format!("the cluster's address '{text}' is wrong: {why}; {form}"))
        };
        let (scheme, rest) = text.split_once("://").ok_or_else(|| wrong("it has no scheme"))?;
        if !["nats", "tls"].contains(&scheme) {
            return Err(wrong(&format!("'{scheme}' is not a scheme of NATS")));
        }
        let (hosts, name) = rest.split_once('/').unwrap_or((rest, ""));
        if hosts.contains('@') {
            return Err(ClusterError::Input(format!(
                "a cluster's address must not contain credentials, because `ps` shows them; set {CREDENTIALS}"
            )));
        }
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
        if name.len() > LONGEST_NAME || !name.chars().all(is_name) {
            return Err(wrong(&format!("a name has up to {LONGEST_NAME} letters, digits, '-' and '_'")));
        }
        let server = |host: &str| match host.trim() {
            "" => Err(wrong("it names no host")),
            host => {
                let url = format!("{scheme}://{}", host.strip_prefix(&format!("{scheme}://")).unwrap_or(host));
                let server = ServerAddr::from_str(&url).map_err(|error| wrong(&error.to_string()))?;
                if server.host().is_empty() { Err(wrong("it names no host")) } else { Ok(server) }
            }
        };
        let servers = hosts.split(',').map(server).collect::<Result<_, _>>()?;
        let name = if name.is_empty() { DEFAULT_NAME } else { name };
        Ok(Address { servers, name: name.to_string() })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.url(), self.name)
    }
}

/// How the connection is secured.
#[derive(Clone, Default)]
pub struct Security {
    identity: Option<Identity>,
    ca: Option<PathBuf>,
    certificate: Option<(PathBuf, PathBuf)>,
    /// Whether a broker elsewhere is accepted without TLS and credentials.
    pub insecure: bool,
}

/// Who we are. There is no `Debug`: secrets stay out of logs.
#[derive(Clone)]
enum Identity {
    Token(String),
    User(String, String),
    NKey(String),
    Credentials(PathBuf),
}

impl Security {
    /// Reads what the environment says.
    pub fn from_env(insecure: bool) -> Result<Security, ClusterError> {
        Security::read(&|name| env::var(name).ok().filter(|value| !value.is_empty()), insecure)
    }

    fn read(get: &dyn Fn(&str) -> Option<String>, insecure: bool) -> Result<Security, ClusterError> {
        let get = |name: &str| get(&format!("PLYSMITH_CLUSTER_{name}"));
        let user = match (get("USER"), get("PASSWORD")) {
            (Some(user), Some(password)) => Some(Identity::User(user, secret("PLYSMITH_CLUSTER_PASSWORD", &password)?)),
            (None, None) => None,
            _ => {
                return Err(ClusterError::input(
                    "PLYSMITH_CLUSTER_USER and PLYSMITH_CLUSTER_PASSWORD go together; set both",
                ));
            }
        };
        let token = get("TOKEN").map(|value| secret("PLYSMITH_CLUSTER_TOKEN", &value)).transpose()?;
        let seed = get("NKEY").map(|value| secret("PLYSMITH_CLUSTER_NKEY", &value)).transpose()?;
        let file = get("CREDS").map(|value| existing("PLYSMITH_CLUSTER_CREDS", &value)).transpose()?;
        let given: Vec<Identity> =
            [token.map(Identity::Token), user, seed.map(Identity::NKey), file.map(Identity::Credentials)]
                .into_iter()
                .flatten()
                .collect();
        if given.len() > 1 {
            return Err(ClusterError::input(format!("more than one credential is set; keep one of {CREDENTIALS}")));
        }
        let ca = get("CA").map(|value| existing("PLYSMITH_CLUSTER_CA", &value)).transpose()?;
        let certificate = match (get("CERT"), get("KEY")) {
            (Some(cert), Some(key)) => {
                Some((existing("PLYSMITH_CLUSTER_CERT", &cert)?, existing("PLYSMITH_CLUSTER_KEY", &key)?))
            }
            (None, None) => None,
            _ => {
                return Err(ClusterError::input(
                    "PLYSMITH_CLUSTER_CERT and PLYSMITH_CLUSTER_KEY go together; set both",
                ));
            }
        };
        Ok(Security { identity: given.into_iter().next(), ca, certificate, insecure })
    }

    fn has_identity(&self) -> bool {
        self.identity.is_some() || self.certificate.is_some()
    }

    /// Options for a connection to this broker. Fails if it would not be secure.
    pub(crate) async fn options(&self, address: &Address) -> Result<ConnectOptions, ClusterError> {
        let has_tls = address.demands_tls() || self.ca.is_some() || self.certificate.is_some();
        let is_secure = address.is_loopback() || has_tls && self.has_identity();
        if !is_secure && !self.insecure {
            let lack = match (has_tls, self.has_identity()) {
                (false, false) => "neither TLS nor credentials",
                (false, true) => "no TLS",
                _ => "no credentials",
            };
            return Err(ClusterError::Input(format!(
                "the broker {} is on another machine, and there are {lack}: whoever reaches it could read and send jobs; use \
                 tls://, set {CREDENTIALS}; or say --cluster-insecure in a network where nobody else is",
                address.url()
            )));
        }
        let mut options = ConnectOptions::new().require_tls(has_tls);
        if let Some(path) = &self.ca {
            options = options.add_root_certificates(path.clone());
        }
        if let Some((certificate, key)) = &self.certificate {
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        Ok(match &self.identity {
            None => options,
            Some(Identity::Token(token)) => options.token(token.clone()),
            Some(Identity::User(user, password)) => options.user_and_password(user.clone(), password.clone()),
            Some(Identity::NKey(seed)) => options.nkey(seed.clone()),
            Some(Identity::Credentials(path)) => options.credentials_file(path).await.map_err(|error| {
                ClusterError::Input(format!("PLYSMITH_CLUSTER_CREDS: cannot use '{}': {error}", path.display()))
            })?,
        })
    }
}

/// A secret: the contents of a file that `@FILE` names, or the text itself.
fn secret(name: &str, value: &str) -> Result<String, ClusterError> {
    let Some(path) = value.strip_prefix('@') else { return Ok(value.to_string()) };
    let text = std::fs::read_to_string(path)
        .map_err(|error| ClusterError::Input(format!("{name}: cannot read '{path}': {error}")))?;
    match text.trim() {
        "" => Err(ClusterError::Input(format!("{name}: the file '{path}' is empty; it should hold the secret"))),
        text => Ok(text.to_string()),
    }
}

/// A file that must be there.
fn existing(name: &str, value: &str) -> Result<PathBuf, ClusterError> {
    let path = Path::new(value.strip_prefix('@').unwrap_or(value));
    match std::fs::File::open(path) {
        Ok(_) => Ok(path.to_path_buf()),
        Err(error) => Err(ClusterError::Input(format!("{name}: cannot read '{}': {error}", path.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Address, String> {
        text.parse().map_err(|error: ClusterError| error.to_string())
    }

    #[test]
    fn addresses_name_brokers_and_a_cluster() {
        let address = parse("nats://localhost:4222").unwrap();
        assert_eq!((address.to_string().as_str(), address.is_loopback()), ("nats://localhost:4222/main", true));
        let address = parse("tls://a.example:1,b.example/chess-2").unwrap();
        assert_eq!((address.name(), address.servers().len(), address.is_loopback()), ("chess-2", 2, false));
        assert!(parse("nats://[::1]:4222").unwrap().is_loopback());
        for (text, said) in [
            ("localhost:4222", "no scheme"),
            ("http://localhost", "not a scheme"),
            ("nats://", "names no host"),
            ("nats://a/b.c", "a name has up to"),
            ("nats://a:port", "invalid port"),
            ("nats://me:secret@host", "`ps` shows them"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(said) && !error.contains("secret@"), "{text}: {error}");
        }
    }

    #[test]
    fn credentials_come_from_variables_and_files_and_must_fit_together() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, "  s3cret\n").unwrap();
        let (at_file, missing) = (format!("@{}", file.display()), format!("@{}/none", folder.path().display()));
        let read = |set: &[(&str, &str)]| {
            let find = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_string());
            Security::read(&find, false).map_err(|error| error.to_string())
        };
        let token = read(&[("PLYSMITH_CLUSTER_TOKEN", &at_file)]).ok().and_then(|security| security.identity);
        assert!(matches!(token, Some(Identity::Token(token)) if token == "s3cret"));
        let fails = |set: &[(&str, &str)], said: &str| {
            let error = read(set).err().expect("this must fail");
            assert!(error.contains(said), "{error}");
        };
        fails(&[("PLYSMITH_CLUSTER_TOKEN", &missing)], "cannot read");
        fails(&[("PLYSMITH_CLUSTER_USER", "me")], "set both");
        fails(&[("PLYSMITH_CLUSTER_CERT", &at_file)], "set both");
        fails(&[("PLYSMITH_CLUSTER_TOKEN", "a"), ("PLYSMITH_CLUSTER_NKEY", "b")], "more than one credential");
        fails(&[("PLYSMITH_CLUSTER_CREDS", &missing)], "cannot read");
    }

    #[test]
    fn a_broker_elsewhere_needs_tls_and_credentials() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let try_it = |url: &str, security: &Security| runtime.block_on(security.options(&parse(url).unwrap()));
        let token = Security { identity: Some(Identity::Token("t".to_string())), ..Security::default() };
        let bare = Security::default();
        assert!(try_it("nats://127.0.0.1", &bare).is_ok());
        for (url, security, said) in [
            ("nats://10.0.0.1", &bare, "neither TLS nor credentials"),
            ("nats://10.0.0.1", &token, "no TLS"),
            ("tls://10.0.0.1", &bare, "no credentials"),
            ("nats://localhost,far.example", &bare, "neither"),
        ] {
            let error = try_it(url, security).map(|_| ()).expect_err("this must be refused").to_string();
            assert!(error.contains(said) && error.contains("--cluster-insecure"), "{error}");
        }
        assert!(try_it("tls://10.0.0.1", &token).is_ok());
        assert!(try_it("nats://10.0.0.1", &Security { insecure: true, ..bare }).is_ok());
    }
}
