//! `plysmith bench --against`: our speed beside that of foreign engines, in one run.
