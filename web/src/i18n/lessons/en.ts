/** Rules, advice and puzzles in English; the other languages have the same names. */

export const en = {
  "rules.title": "How to play Go",
  "rules.lead":
    "Two players, black and white stones, and one aim: to surround more of the board than the other. The rules fit on this page.",
  "rules.show": "Show the move",
  "rules.back": "Back",
  "rules.presets": "The four ways to play here",
  "rules.basics": "The rules",

  "lesson.board": "The board and the moves",
  "lesson.board.text":
    "Stones are placed on the crossings of the lines, one a turn, Black first. A stone that has been placed never moves; it can only be captured. Instead of placing a stone one may pass.",
  "lesson.liberty": "Liberties",
  "lesson.liberty.text":
    "The empty points next to a stone along the lines are its liberties: up to four, fewer at the edge. Here they are numbered.",
  "lesson.capture": "Capture",
  "lesson.capture.text":
    "A stone with one liberty left is in atari. Whoever takes the last liberty takes the stone off the board, as Black does at 1.",
  "lesson.chain": "Chains",
  "lesson.chain.text":
    "Stones of one colour that touch along the lines form a chain. They share their liberties, and live or leave the board together: White at 1 captures all three.",
  "lesson.suicide": "No suicide",
  "lesson.suicide.text":
    "A stone may not be placed where it would have no liberty, as for Black at ×. But captures come first: Black may play 1, since it takes two white stones off and so has liberties.",
  "lesson.ko": "Ko",
  "lesson.ko.text":
    "After Black takes a single stone at 1, White could take back at once, and so on for ever. This is ko: the point with the square is forbidden until another move was made elsewhere. With positional superko no earlier position of the whole board may come back, however long ago it was.",
  "lesson.eyes": "Two eyes",
  "lesson.eyes.text":
    "White may play neither at 1 nor at 2: each would be suicide while the other is open. A group with two such eyes can never be captured. It lives.",
  "lesson.seki": "Seki",
  "lesson.seki.text":
    "Whoever plays at 1 or 2 fills an own liberty and is captured. So nobody plays there, both groups live without two eyes, and the shared points belong to nobody.",
  "lesson.area": "Counting area",
  "lesson.area.text":
    "In quick and weiqi you count your living stones and the empty points that only you surround. Here Black has {black} and White {white}, before komi.",
  "lesson.territory": "Counting territory",
  "lesson.territory.text":
    "In territory and igo you count the empty points that only you surround, and your prisoners. Here Black has {black} points and White {white}, before prisoners and komi. Stones that are dead at the end become prisoners.",
  "lesson.komi": "Why komi",
  "lesson.komi.text":
    "Black moves first, which is worth several points. White is given komi for it. With half a point in it there is no draw; with komi 7 the game can be tied (jigo).",
  "lesson.end": "The end",
  "lesson.end.text":
    "When nothing is left to gain, both pass, and the board is counted. One may also resign, or lose on time. Where both have to agree on dead stones, a player who does not agree plays on, once; the next two passes are final.",

  "strategy.title": "First advice",
  "strategy.1": "Corners first, then sides, then the middle: corners need the fewest stones.",
  "strategy.2": "A group needs two eyes. Make room for them in time.",
  "strategy.3": "Never fill your own eye.",
  "strategy.4": "Look for atari before each move: yours and the opponent's.",
  "strategy.5":
    "A chain that runs with one liberty after another (a ladder) is lost if nothing stands in its way.",
  "strategy.6": "Stay connected, and cut the opponent.",
  "strategy.7": "Count before you pass: the preview tells what would be counted.",
  "strategy.8": "Pass when every border is closed and no stone is in danger.",

  "faq.title": "Questions",
  "faq.1": "Does it cost anything?",
  "faq.1.text": "No. A name is enough; an account is needed for rated games and the leaderboard only.",
  "faq.2": "Which rules should I take?",
  "faq.2.text": "Begin with quick: the board is small, the server counts, and it takes ten minutes.",
  "faq.3": "How does a game end?",
  "faq.3.text": "By two passes, a resignation, time, or when a player is gone for too long.",
  "faq.4": "Can a game be a draw?",
  "faq.4.text":
    "In quick yes: komi is 7, and the players may agree on a draw. Elsewhere half a point decides.",
  "faq.5": "Why can I not mark dead stones?",
  "faq.5.text":
    "In quick and territory the server finds them, by the same computation for both. In weiqi both agree on its proposal; in igo you may mark them.",
  "faq.6": "How strong is the AI?",
  "faq.6.text":
    "Easy loses to a beginner of a week; hard beats casual players. Against an AI there is no clock, and you may take back.",
  "faq.7": "What if my connection breaks?",
  "faq.7.text":
    "The game waits for a while, and the page finds its way back by itself. Time that our server takes is given back.",

  "differ.title": "What differs",
  "differ.boards": "Boards",
  "differ.scoring": "Counting",
  "differ.komi": "Komi",
  "differ.ko": "Ko",
  "differ.handicap": "Handicap",
  "differ.dead": "Dead stones",
  "differ.passes": "After two passes",
  "differ.time": "Time between people",
  "differ.draw": "Draw",
  "value.area": "stones and points",
  "value.territory": "points and prisoners",
  "value.superko": "no earlier position again",
  "value.simple": "not at once",
  "value.none": "none",
  "value.handicap": "2 to 9 stones",
  "value.clear": "found by the server when certain",
  "value.estimate": "best estimate of the server",
  "value.agreed": "proposed, both agree",
  "value.marked": "proposed, players may mark",
  "value.atOnce": "counted at once",
  "value.agreement": "both agree, or play goes on",
  "value.perMove": "30 s a move",
  "value.byoyomi": "10 min and 5 × 30 s",
  "value.yes": "yes",
  "value.no": "no",

  "preset.quick.text":
    "The fastest way to a game: a small board, area counting, komi 7. The server counts at once after two passes and takes off what is certainly dead, so play out what is in doubt. A tie is a draw.",
  "preset.territory.text":
    "A small board with territory counting: empty points and prisoners. The server decides about dead stones by its best estimate, each of them a prisoner, and there is always a winner.",
  "preset.weiqi.text":
    "Area counting on boards of 9, 13 and 19 lines, with positional superko. After two passes the server proposes the dead stones; both agree, or play goes on once.",
  "preset.igo.text":
    "Territory counting as in Japan, usually on 19 lines, with handicaps. The players agree on dead stones and may mark them; a ko may be retaken after one move elsewhere.",

  "puzzle.title": "Ten small puzzles",
  "puzzle.number": "Puzzle {n}",
  "puzzle.right": "Right!",
  "puzzle.wrong": "Not there. Try another point.",
  "puzzle.next": "Next puzzle",
  "puzzle.again": "Again",
  "puzzle.done": "You know all that you need. Play your first game!",
  "puzzle.play": "Play the AI",
  "puzzle.1": "The white stone has one liberty left. Capture it.",
  "puzzle.2": "Two stones in a chain share their liberties. Take the last one.",
  "puzzle.3": "Your stone is in atari. Give it more liberties.",
  "puzzle.4": "Threaten two stones with one move: a double atari.",
  "puzzle.5": "Only one of the two white chains can be captured now. Which?",
  "puzzle.6": "White wants to cut you. Connect your stones.",
  "puzzle.7": "Take the ko.",
  "puzzle.8": "Make two eyes, so that your group lives.",
  "puzzle.9": "White has room for one more eye. Take it, and the group is dead.",
  "puzzle.10": "Every border is closed. What do you do?",
} as const;
