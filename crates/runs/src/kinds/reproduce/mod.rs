//! `reproduce`: the papers' tables, our numbers beside theirs.

pub mod figure1;
