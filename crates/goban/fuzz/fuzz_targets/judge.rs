#![no_main]
libfuzzer_sys::fuzz_target!(|line: &[u8]| goban_fuzz::judge_line(line));
