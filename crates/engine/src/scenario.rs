//! Scenarios: what a file may say ([`spec`]), how it is read ([`document`]), and how it becomes a network ([`assembly`]).

pub mod assembly;
pub mod document;
pub mod spec;
