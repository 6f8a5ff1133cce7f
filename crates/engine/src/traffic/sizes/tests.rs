use super::*;

fn read(text: &str) -> Sizes {
    #[derive(Deserialize)]
    struct Own {
        sizes: Sizes,
    }
    toml::from_str::<Own>(text).unwrap_or_else(|error| panic!("{text}: {error}")).sizes
}

fn lengths(text: &str) -> Lengths {
    let sizes = read(text);
    assert_eq!(sizes.check(), Ok(()), "{text}");
    sizes.build()
}

fn named(name: &str, interpolation: &str) -> Lengths {
    lengths(&format!("sizes.table = {{ name = '{name}', interpolation = '{interpolation}' }}"))
}

/// Path, value and reason of its fault.
fn fault(sizes: &Sizes) -> [String; 3] {
    let fault = sizes.check().expect_err("a fault");
    assert!(!fault.remedy.is_empty());
    [fault.path, fault.value, fault.reason]
}

fn actual(text: &str) -> [String; 3] {
    fault(&read(text))
}

#[test]
fn published_tables_have_their_means() {
    // Computed independently, with Python: halves of the sums of neighbours times the shares between them.
    for (name, linear, variation) in [
        ("web_search", 1_711_250.0, 5.372_220),
        ("data_mining", 5_036_535.175, 93.673_525),
        ("hadoop", 120_420.75, 30.924_883),
        ("storage", 40_869.8, 22.022_919),
        ("opera_web_search", 1_490_032.723_17, 5.476_728),
        ("opera_hadoop", 3_423_728.354_629, 40.183_651),
    ] {
        let table = named(name, "linear");
        assert!((table.mean() - linear).abs() < 1e-9 * linear, "{name}: {}", table.mean());
        assert!((table.squared_variation() - variation).abs() < 1e-5, "{name}: {}", table.squared_variation());
        let short = lengths(&format!("sizes.table = '{name}'"));
        assert_eq!(short.mean().to_bits(), table.mean().to_bits());
    }
    assert_eq!(named("web_search", "linear").mean(), 1_711_250.0);
    assert_eq!(named("web_search", "step").mean(), 2_434_900.0);
    // Two lengths: 1 with share 1/4, 5 with 3/4. Mean 4, variance 3/4 x 1/4 x 16 = 3.
    let two = lengths("sizes.table = { points = [[1, 25], [5, 100]], interpolation = 'step' }");
    assert_eq!((two.mean(), two.squared_variation()), (4.0, 3.0 / 16.0));
    // Uniform from 0 to 12: variance 12.
    let one = lengths("sizes.table = { points = [[0, 0], [12, 100]] }");
    assert_eq!((one.mean(), (one.squared_variation() * 36.0 - 12.0).abs() < 1e-12), (6.0, true));
}

#[test]
fn lengths_of_distributions_are_whole_octets() {
    assert_eq!((lengths("sizes = '100 kB'").mean(), lengths("sizes = '100 kB'").squared_variation()), (1e5, 0.0));
    assert_eq!(lengths("sizes.constant = '1500 octets'").draw(&mut Stream::new(1, 0, "")), 1_500);
    let exponential = lengths("sizes.exponential = '2 octets'");
    assert_eq!((exponential.mean(), exponential.squared_variation()), (2.0, 1.0));
    let mut stream = Stream::new(1, 0, "exponential");
    let drawn: Vec<u64> = (0..10_000).map(|_| exponential.draw(&mut stream)).collect();
    assert!(drawn.contains(&1) && !drawn.contains(&0));
    let pareto = lengths("sizes.pareto = { mean = '1 MB', shape = 1.05 }");
    assert_eq!((pareto.mean(), pareto.squared_variation()), (1e6, f64::INFINITY));
}

/// Means and shares of many draws are those of the table, within four standard errors.
#[test]
fn draws_follow_the_table() {
    const DRAWS: usize = 200_000;
    for interpolation in ["linear", "step"] {
        let table = named("web_search", interpolation);
        let mut stream = Stream::new(1, 0, interpolation);
        let drawn: Vec<u64> = (0..DRAWS).map(|_| table.draw(&mut stream)).collect();
        let mean = drawn.iter().map(|&octets| octets as f64).sum::<f64>() / DRAWS as f64;
        let error = table.mean() * (table.squared_variation() / DRAWS as f64).sqrt();
        assert!((mean - table.mean()).abs() < 4.0 * error, "{mean}");
        for (octets, share) in [(10_000, 0.15), (80_000, 0.53), (1_000_000, 0.7), (10_000_000, 0.97)] {
            let found = drawn.iter().filter(|&&drawn| drawn <= octets).count() as f64;
            let error = (DRAWS as f64 * share * (1.0 - share)).sqrt();
            assert!((found - DRAWS as f64 * share).abs() < 4.0 * error, "{octets}: {found}");
        }
        assert!(drawn.iter().all(|octets| (1..=30_000_000).contains(octets)));
    }
    // Only the lengths of its points.
    let table = named("storage", "step");
    let mut stream = Stream::new(2, 0, "points");
    let points = [4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 2_000_000];
    assert!((0..10_000).all(|_| points.contains(&table.draw(&mut stream))));
}

/// Stored results depend on these numbers: one random number each.
#[test]
fn draws_keep_their_bits() {
    let table = named("web_search", "linear");
    let mut stream = Stream::new(1, 0, "bits");
    let mut other = stream.clone();
    let drawn = [(); 4].map(|()| table.draw(&mut stream));
    let shares = [(); 4].map(|()| other.uniform());
    assert_eq!(stream, other);
    // The first is on the line from 0 to 10 kB, with 15 % of all.
    assert_eq!(drawn[0], (10_000.0 * shares[0] / 0.15).round() as u64);
    assert_eq!(drawn, [2_470, 1_369_941, 59_296, 34_511]);
}

#[test]
fn flat_and_upright_pieces_of_a_table_are_fine() {
    // A quarter exactly 100, none from 100 to 200, the rest up to 300; shares as fractions.
    let table = lengths("sizes.table = { points = [[100, 0], [100, 0.25], [200, 0.25], [300, 1.0], [300, 1.0]] }");
    assert_eq!(table.mean(), 25.0 + 0.75 * 250.0);
    let mut stream = Stream::new(1, 0, "pieces");
    let drawn: Vec<u64> = (0..10_000).map(|_| table.draw(&mut stream)).collect();
    assert!(drawn.iter().all(|&octets| octets == 100 || (200..=300).contains(&octets)));
    assert!(drawn.iter().filter(|&&octets| octets == 100).count().abs_diff(2_500) < 4 * 44);
}

#[test]
fn a_faulty_table_is_refused_with_its_place() {
    let points = |points: &str| actual(&format!("sizes.table = {{ points = {points} }}"));
    let place = |points: &str, at: usize, value: &str, reason: &str| {
        let [path, shown, actual] = actual(&format!("sizes.table = {{ points = {points} }}"));
        assert_eq!((path, shown.as_str()), (format!("sizes.table.points[{at}]"), value));
        assert!(actual.contains(reason), "{actual}");
    };
    place("[[10, 50], [20, 40], [30, 100]]", 1, "[20, 40]", "share is below");
    place("[[10, 50], [9, 100]]", 1, "[9, 100]", "length is below");
    place("[[10, 50], [20, 97]]", 1, "[20, 97]", "neither 100");
    place("[[10, 0.5], [20, 0.97]]", 1, "[20, 0.97]", "neither 100");
    place("[[10, 50], [20, 101]]", 1, "[20, 101]", "neither 100");
    place("[[0, 10], [20, 100]]", 0, "[0, 10]", "shorter than 1 octet");
    place("[[1, nan], [20, 100]]", 0, "[1, NaN]", "no share");
    place("[[1, -1], [20, 100]]", 0, "[1, -1]", "no share");
    place("[[1, 50], [9000000000000000, 100]]", 1, "[9000000000000000, 100]", "longer than");
    assert_eq!(points("[[10, 100]]")[..2], ["sizes.table.points", "1 points"]);
    assert_eq!(points("[]")[..2], ["sizes.table.points", "0 points"]);
    assert_eq!(actual("sizes.table = { name = 'storage', points = [[1, 50], [2, 100]] }")[0], "sizes.table.points");
    assert_eq!(actual("sizes.table = { file = 'a.csv' }")[0], "sizes.table.file");
    assert_eq!(actual("sizes.table = { sha256 = 'a', name = 'storage' }")[0], "sizes.table.sha256");
}

#[test]
fn other_faults() {
    assert_eq!(actual("sizes = '12 bits'")[..2], ["sizes", "12 bits"]);
    assert_eq!(actual("sizes = '0 octets'")[2], "a message has at least 1 octet");
    assert_eq!(actual("sizes.constant = '4 bits'")[0], "sizes.constant");
    assert_eq!(actual("sizes.exponential = '4 bits'")[0], "sizes");
    assert_eq!(actual("sizes.pareto = { mean = '1 MB', shape = 1 }")[0], "sizes.pareto.shape");
    assert_eq!(actual("sizes = '9000000000 MB'")[0], "sizes");
}

fn refused(text: &str) -> String {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "it is never read")]
    struct Own {
        sizes: Sizes,
    }
    toml::from_str::<Own>(text).expect_err("a fault").to_string()
}

#[test]
fn keys_are_told() {
    let actual = refused("sizes.zipf = '1 MB'");
    assert!(
        actual.contains("unknown variant `zipf`") && actual.contains("`pareto`") && actual.contains("`table`"),
        "{actual}"
    );
    assert!(refused("sizes.table = 'websearch'").contains("`web_search`"));
    assert!(refused("sizes.table = { points = [[-1, 50], [1, 100]] }").contains("-1"));
    assert!(refused("sizes = {}").contains("one key"));
    assert!(refused("sizes = { table = 'storage', pareto = '1 MB' }").contains("one key"));
    assert!(refused("sizes = { pareto = '1 MB', table = 'storage' }").contains("one key"));
    assert!(refused("sizes = 5").contains("needs a unit"));
}

/// The schema has a branch for each key, and what is written is read again.
#[test]
fn the_schema_has_every_key() {
    let schema = schemars::schema_for!(Drawn).to_value();
    let branches = schema["oneOf"].as_array().expect("branches").iter();
    let keys: Vec<&str> = branches.filter_map(|branch| branch["required"][0].as_str()).collect();
    assert_eq!(keys, KEYWORDS);
    for text in [
        "sizes = '1 MB'",
        "sizes.lognormal = { mean = '1 MB', variation = 2 }",
        "sizes.table = 'hadoop'",
        "sizes.table = { points = [[100, 12.5], [200, 100]], interpolation = 'step' }",
    ] {
        let sizes = read(text);
        let written = serde_json::to_value(&sizes).expect("a value");
        assert_eq!(serde_json::from_value::<Sizes>(written).ok(), Some(sizes), "{text}");
    }
}

fn with_file(text: &str) -> Result<Sizes, Fault> {
    let mut sizes = read("sizes.table = { file = 'sizes.csv', sha256 = 'abc', interpolation = 'step' }");
    assert_eq!(sizes.file(), Some(("sizes.csv", Some("abc"))));
    sizes.read_file(text)?;
    assert_eq!(sizes.file(), None);
    Ok(sizes)
}

#[test]
fn a_table_is_read_from_a_file() {
    let own = read("sizes.table = { points = [[100, 0.5], [1000000, 1]], interpolation = 'step' }");
    assert_eq!(with_file("# octets, share\n100,0.5\r\n\n1e6;\t1.0 # the end\n"), Ok(own));
    let line = |text: &str| with_file(text).map_err(|fault| (fault.path, fault.reason)).expect_err("a fault");
    let at = |reason: &str| ("sizes.table.file".to_owned(), reason.to_owned());
    assert_eq!(line("octets,share\n"), at("line 1 of the file: \"octets\" is no whole number of octets"));
    assert_eq!(line("1.5,50\n2,100"), at("line 1 of the file: \"1.5\" is no whole number of octets"));
    assert_eq!(line("-1,50\n2,100"), at("line 1 of the file: \"-1\" is no whole number of octets"));
    assert_eq!(line("1,a\n"), at("line 1 of the file: \"a\" is no share"));
    assert_eq!(line("1,2,3\n"), at("line 1 of the file: there are 3 columns"));
    assert_eq!(line("# two\n1,50\n\n2,99\n").1[..19], *"line 4 of the file:");
    assert_eq!(line("1,50\n").1, "a table has 2 to 10000 points");
    assert_eq!(line(&"1,50\n".repeat(20_000)).1, "a table has 2 to 10000 points");
    let mut both = read("sizes.table = { file = 'sizes.csv', name = 'storage' }");
    assert_eq!(both.read_file("1,50\n2,100").map_err(|fault| fault.path), Err("sizes.table.file".to_owned()));
}
