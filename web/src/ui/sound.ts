/** The sounds of stones, made on the spot, and a short buzz where the machine can. */

import { preferences } from "./prefs";

let context: AudioContext | null = null;

/** What can be heard. */
export type Sound = "stone" | "capture" | "pass" | "end" | "low";

const TONES: Record<Sound, [frequency: number, length: number, volume: number][]> = {
  stone: [
    [1450, 0.035, 0.5],
    [420, 0.06, 0.35],
  ],
  capture: [
    [1100, 0.04, 0.35],
    [1300, 0.05, 0.3],
    [900, 0.07, 0.25],
  ],
  pass: [[330, 0.16, 0.16]],
  end: [
    [392, 0.22, 0.16],
    [523, 0.3, 0.16],
  ],
  low: [[880, 0.07, 0.14]],
};

/** Plays a sound, if the person wants sounds and the browser lets us. */
export function sound(which: Sound): void {
  if (preferences.value.haptic && which === "stone") navigator.vibrate?.(12);
  if (!preferences.value.sound) return;
  try {
    context ??= new AudioContext();
    if (context.state === "suspended") void context.resume();
    let at = context.currentTime;
    for (const [frequency, length, volume] of TONES[which]) {
      tone(context, frequency, length, volume, at);
      at += which === "stone" ? 0.004 : length * 0.8;
    }
  } catch {
    // No sound on this machine: nothing is lost.
  }
}

function tone(audio: AudioContext, frequency: number, length: number, volume: number, at: number): void {
  const source = audio.createOscillator();
  const gain = audio.createGain();
  source.type = "triangle";
  source.frequency.setValueAtTime(frequency, at);
  source.frequency.exponentialRampToValueAtTime(frequency * 0.6, at + length);
  gain.gain.setValueAtTime(volume, at);
  gain.gain.exponentialRampToValueAtTime(0.0008, at + length);
  source.connect(gain).connect(audio.destination);
  source.start(at);
  source.stop(at + length);
}
