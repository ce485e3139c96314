#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| goban_fuzz::bodies::large(data));
