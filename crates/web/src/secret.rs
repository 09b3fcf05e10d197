//! Secrets: text that nobody can guess.

/// 128 random bits as text.
pub fn random_token() -> String {
    let mut bytes = [0_u8; 16];
    // The system's source of random numbers does not fail once it has been seeded; without it there is no safe token.
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
