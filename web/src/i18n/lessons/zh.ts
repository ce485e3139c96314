/** 中文的规则、要点和小题。 */

import type { Lessons } from "./text";

const zh: Lessons = {
  "rules.title": "围棋怎么下",
  "rules.lead": "两个人，黑白两色棋子，一个目标：围住比对手更多的地方。规则一页就能讲完。",
  "rules.show": "看这一手",
  "rules.back": "返回",
  "rules.presets": "这里的四种下法",
  "rules.basics": "规则",

  "lesson.board": "棋盘与落子",
  "lesson.board.text":
    "棋子下在线的交叉点上，每次一子，黑先。落下的棋子不再移动，只可能被提掉。轮到自己时也可以停一手。",
  "lesson.liberty": "气（qì）",
  "lesson.liberty.text": "沿着线与棋子相邻的空点就是它的气：最多四口，边上更少。图中标了数字。",
  "lesson.capture": "提子（tízǐ）",
  "lesson.capture.text": "只剩一口气叫做被打吃。谁占了最后一口气，就把那颗子提掉，如黑下在 1。",
  "lesson.chain": "相连的棋子",
  "lesson.chain.text": "沿着线相连的同色棋子是一个整体，气是共有的，同生同死：白下在 1，三子一起被提。",
  "lesson.suicide": "禁着点（jìnzhuódiǎn）",
  "lesson.suicide.text":
    "不能下在没有气的地方，例如黑不能下在 ×。但提子在先：黑可以下在 1，因为提掉两颗白子后就有了气。",
  "lesson.ko": "劫（jié）",
  "lesson.ko.text":
    "黑在 1 提一子后，白若能马上提回，就会没完没了。这就是打劫：带方块的点要等在别处下一手之后才能下。按全局同形禁止再现的规则，整个棋盘上出现过的局面都不能再出现，不论相隔多久。",
  "lesson.eyes": "两只眼（yǎn）",
  "lesson.eyes.text":
    "白既不能下在 1，也不能下在 2：只要另一处还空着，都是禁着点。有两只真眼的棋永远提不掉，是活棋。",
  "lesson.seki": "双活",
  "lesson.seki.text":
    "谁下在 1 或 2，都是收自己的气，会被对方提掉。所以谁也不下，双方没有两只眼也都活着，公气不归任何一方。",
  "lesson.area": "数子（shǔzǐ）",
  "lesson.area.text": "快棋和围棋两种下法里，数活子和自己独围的空点。图中未计贴目，黑 {black}，白 {white}。",
  "lesson.territory": "数目",
  "lesson.territory.text":
    "数目和日式围棋两种下法里，数自己独围的空点和提子。图中未计提子和贴目，黑 {black} 目，白 {white} 目。终局时的死子也算提子。",
  "lesson.komi": "为什么贴目（tiēmù）",
  "lesson.komi.text": "黑先走，先手值好几目，所以要贴给白。带半目就不会和棋；贴 7 目时可能下成和棋。",
  "lesson.end": "终局",
  "lesson.end.text":
    "双方都无利可图时各停一手，然后数棋。也可以认输，或者超时判负。需要双方同意（tóngyì）死子时，不同意的一方可以要求续下一次，再次双停即为定局。",

  "strategy.title": "入门要点",
  "strategy.1": "金角银边草肚皮：角上用子最省。",
  "strategy.2": "一块棋要有两只眼，要及早留出眼位。",
  "strategy.3": "不要填自己的眼。",
  "strategy.4": "每一手之前先看打吃：自己的和对方的。",
  "strategy.5": "征子：一路被打吃着逃跑，前方没有接应就会被吃光。",
  "strategy.6": "自己要连上，对方要断开。",
  "strategy.7": "停一手之前先点目：预览会告诉你结果。",
  "strategy.8": "边界都已封好、没有危险的棋子时，就停一手。",

  "faq.title": "常见问题",
  "faq.1": "要花钱吗？",
  "faq.1.text": "不要。有个名字就行；只有计分对局和排行榜需要账号。",
  "faq.2": "选哪种规则好？",
  "faq.2.text": "从快棋开始：棋盘小，服务器替你数，十分钟就能下完。",
  "faq.3": "对局怎样结束？",
  "faq.3.text": "双方各停一手、认输、超时，或一方离开太久。",
  "faq.4": "会有和棋吗？",
  "faq.4.text": "快棋会有：贴 7 目，双方也可以议和。其他下法半目定胜负。",
  "faq.5": "为什么不能自己标死子？",
  "faq.5.text":
    "快棋和数目由服务器判断，对双方是同一个算法。围棋由双方同意服务器的提议；日式围棋可以自己标。",
  "faq.6": "AI 有多强？",
  "faq.6.text": "“简单”会输给学了一周的新手，“困难”能赢休闲棋手。和 AI 下不计时，可以悔棋。",
  "faq.7": "掉线了怎么办？",
  "faq.7.text": "对局会等一段时间，页面会自己重新连上。服务器耽误的时间会补还。",

  "differ.title": "有什么不同",
  "differ.boards": "棋盘",
  "differ.scoring": "计算",
  "differ.komi": "贴目",
  "differ.ko": "劫",
  "differ.handicap": "让子",
  "differ.dead": "死子",
  "differ.passes": "双方停手后",
  "differ.time": "真人对局用时",
  "differ.draw": "和棋",
  "value.area": "活子加空点",
  "value.territory": "空点加提子",
  "value.superko": "全局同形禁止再现",
  "value.simple": "不能马上提回",
  "value.none": "无",
  "value.handicap": "2 至 9 子",
  "value.clear": "服务器判断确定的死子",
  "value.estimate": "服务器的最佳估计",
  "value.agreed": "服务器提议，双方同意",
  "value.marked": "服务器提议，双方可标记",
  "value.atOnce": "立即计算",
  "value.agreement": "双方同意，否则续下",
  "value.perMove": "每手 30 秒",
  "value.byoyomi": "10 分加 5 次 30 秒读秒",
  "value.yes": "有",
  "value.no": "无",

  "preset.quick.text":
    "最快的下法：小棋盘，数子，贴 7 目。双方停手后服务器立即计算，只拿掉确定的死子，所以有疑问的地方要下完。分数相同为和棋。",
  "preset.territory.text": "小棋盘上数目：空点加提子。死子由服务器按最佳估计判断，都算提子，必有胜负。",
  "preset.weiqi.text":
    "9、13、19 路棋盘，数子法，全局同形禁止再现。双方停手后服务器提议死子，双方同意即终局，否则续下一次。",
  "preset.igo.text":
    "日本式数目，通常用 19 路，可让子。死子由双方商定，可自行标记；打劫时在别处下一手后即可提回。",

  "puzzle.title": "十道小题",
  "puzzle.number": "第 {n} 题",
  "puzzle.right": "对了！",
  "puzzle.wrong": "不在这里，换个点试试。",
  "puzzle.next": "下一题",
  "puzzle.again": "再做一遍",
  "puzzle.done": "你已经学会了所需要的一切，去下第一盘棋吧！",
  "puzzle.play": "和 AI 下",
  "puzzle.1": "白子只剩一口气，把它提掉。",
  "puzzle.2": "两颗相连的子共用气，占住最后一口。",
  "puzzle.3": "你的棋子被打吃，给它长气。",
  "puzzle.4": "一手棋威胁两颗子：双打吃。",
  "puzzle.5": "两块白棋只有一块现在能提，是哪一块？",
  "puzzle.6": "白想断开你，把棋子连上。",
  "puzzle.7": "提劫。",
  "puzzle.8": "做出两只眼，让你的棋活。",
  "puzzle.9": "白还有做第二只眼的地方。点进去，这块棋就死了。",
  "puzzle.10": "边界都封好了，该怎么办？",
};

export default zh;
