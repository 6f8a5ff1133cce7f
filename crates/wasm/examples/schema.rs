//! Prints the JSON Schema of scenario files, in one line, for the engine in a browser: that cannot make it.

use penstock_engine::scenario::document;

fn main() -> serde_json::Result<()> {
    let schema: serde_json::Value = serde_json::from_str(&document::schema())?;
    println!("{schema}");
    Ok(())
}
