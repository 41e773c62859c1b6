/** The words of a rehearsal in simplified Chinese; terms as in docs/glossary.md. */
import type { PromiseId } from '../verify.ts';
import { number } from './figures.ts';
import type { Words } from './words.ts';

const told: Readonly<Record<string, string>> = {
  sold_out: '已售罄',
  limit_reached: '您已抢到一件（达到限购数量）',
  not_open: '尚未开售',
  wrong_purchase_key: '购买密钥不正确',
  busy: '人数过多，请稍后再试',
  unavailable: '暂时无法服务',
  sale_ended: '活动已结束',
  rate_limited: '请求过于频繁',
  no_order: '没有收到答复，但本人的订单列表为空',
  unanswered: '始终没有收到答复',
};

const reason: Readonly<Record<string, string>> = {
  sold_out: '售罄',
  limit_reached: '限购',
  not_open: '未开售',
  wrong_purchase_key: '密钥不对',
  busy: '繁忙',
  unavailable: '不可用',
  sale_ended: '已结束',
  rate_limited: '过于频繁',
};

const promises: Readonly<Record<PromiseId, (goods: string) => string>> = {
  never_oversold: (goods) => `任何时刻，已占与已售之和从未超过 ${goods}（没有超卖）`,
  books_balance: () => '账目平衡：可售 + 已占 + 已售 = 库存总量',
  acknowledged_exist: () => '凡是告知顾客的订单，账上都有',
  one_order_per_key: () => '无论点击多少次：一次抢购，至多一个订单',
  limits_kept: () => '没有人超过限购数量，机器人也不例外',
  refused_took_nothing: () => '凡是被拒绝的，都没有占用库存',
  tally_equals_books: () => '顾客得到的答复，与账目完全吻合',
  not_early: () => '没有人能在开售之前、或用猜测的密钥买到',
  nothing_lost: () => '库存全部被占之前，没有人被告知“售罄”',
  holds_ended: () => '未付款的预占均已到期，库存已释放',
  everybody_answered: () => '每个人最终都得到了答复',
  no_faults: () => '没有一个答复是服务器错误',
};

export const zh: Words = {
  number,
  units: (value) => `${number(value)} 件`,
  told: (code) => told[code] ?? code,
  reason: (code) => reason[code] ?? code,
  promise: (id, goods) => promises[id](goods),
  stockOfEach: '各商品的库存',

  title: (stock, visitors) => `Doorbuster 演示：${number(stock)} 件商品，${number(visitors)} 位顾客，一次开售。`,
  about:
    '活动开售，所有人在同一秒抢购：有人连点两次，有人断线，有人不付款，还有机器人作弊。结束后，把顾客得到的每个答复与服务器的账目逐一核对。',
  serverRuns: (url) => `服务器已启动：${url}（使用全新的临时文件夹）。`,
  saleMade: (saleId, stock, price, holdSeconds) =>
    `秒杀活动“${saleId}”：${number(stock)} 件，单价 ${price}，每人限购一件，${holdSeconds} 秒内付款。`,
  ready: (visitors, cheats, seed) =>
    `${number(visitors)} 位顾客和 ${number(cheats)} 个机器人已就位，各有自己的令牌和幂等键（种子 ${seed}）。`,
  opensIn: (seconds) => `${seconds} 秒后开售……`,
  opened: '开售！',
  progress: (at, come, requests, held, paid, soldOut) =>
    `+${at} 秒  到场 ${number(come)}，请求 ${number(requests)}，已占 ${number(held)}，已付 ${number(paid)}，“售罄” ${number(soldOut)} 次`,

  preparing: '顾客正在准备……',
  openFor: (seconds) => `已开售 ${seconds} 秒`,
  settling: (seconds) => `已开售 ${seconds} 秒；顾客全部到场，逾期未付款的将重新开放……`,
  judging: '顾客已离场，正在核对答复与账目……',
  over: (seconds) => `活动结束：${seconds} 秒后顾客全部离场。`,
  labels: { shoppers: '顾客', stock: '库存', ordered: '下单', refused: '拒绝', speed: '速度' },
  arrived: (come, all) => `到场 ${number(come)} / ${number(all)}`,
  stock: (sold, held, free) => `已售 ${number(sold)}，已占 ${number(held)}，可售 ${number(free)}`,
  ordered: (orders, paid) => `${number(orders)} 个订单，已付款 ${number(paid)}`,
  nobody: '暂无',
  speed: (perSecond, p99) => `每秒 ${number(perSecond)} 个请求，99% 在 ${p99} 内得到答复`,
  fastest: (perSecond, p99) => `最高每秒 ${number(perSecond)} 个请求，99% 在 ${p99} 内得到答复`,
  milliseconds: (ms) => (ms < 1000 ? `${Math.ceil(ms)} 毫秒` : `${(ms / 1000).toFixed(1)} 秒`),

  whatHappened: '经过',
  came: (visitors, cheats, requests) =>
    `共有 ${number(visitors)} 位顾客和 ${number(cheats)} 个机器人到场，发出 ${number(requests)} 个下单请求。`,
  clicked: (twice, lost) =>
    `${number(twice)} 位顾客连点了两次；${number(lost)} 位在收到答复前断线，随后用同一个键再次询问。`,
  gotOne: (got, others) => `${number(got)} 位顾客抢到了商品，其余 ${number(others)} 位没有抢到：`,
  botsTried: (times) => `机器人尝试了 ${number(times)} 次，得到的答复是：`,
  botsWon: '已为您保留一件（每个账号从不超过限购数量）',
  waits: (half, most, last) => `半数顾客在 ${half} 内得到最终答复，99% 在 ${most} 内，最后一位在 ${last} 内。`,
  fatesTitle: '商品去向',
  made: (orders, paid) => `共产生 ${number(orders)} 个订单，其中 ${number(paid)} 个已付款。`,
  cameBack: (back, cancelled, expired, late) =>
    `${number(back)} 件被释放并重新开放抢购：取消 ${number(cancelled)} 件，逾期未付款 ${number(expired)} 件，超时后才付款 ${number(late)} 件（款项已退还）。`,
  booksTitle: '账目',
  books: (sku, { free, held, sold, inFlight, total }) =>
    `${sku}：可售 ${number(free)} + 已占 ${number(held)} + 已售 ${number(sold)}${inFlight > 0 ? ` + 在途 ${number(inFlight)}` : ''} = ${number(total)}`,
  promisesTitle: '所有承诺都兑现了吗？',
  kept: (all, seconds, seed) => `结论：是的，${all} 项全部兑现。（${seconds} 秒，种子 ${seed}）`,
  broken: (broke, seconds, seed) => `结论：没有！${number(broke)} 项承诺未兑现。（${seconds} 秒，种子 ${seed}）`,
  meaning: (sold, stock, others) =>
    `简而言之：${number(stock)} 件商品售出 ${number(sold)} 件，每件各归一位按时付款的顾客${stock > sold ? `（剩余 ${number(stock - sold)} 件，或在无人再抢时才被释放）` : ''}；${number(others)} 位顾客得到明确的“没有抢到”，没有一件被超卖。`,

  tryTitle: '轮到您了',
  tryName: '亲手试一试',
  tryItem: '帆布袋',
  tryDescription: '供亲手试用的活动：不会发货，也不会收费。',
  tryOpens: (seconds) => `服务器继续运行。第二场活动将在 ${seconds} 秒后开售，共 5 个帆布袋，每人限购一个：`,
  tryPage: '活动页面。打开它，等待开售，抢购，再点按钮付款（不涉及真实金额）：',
  tryCurl: '也可以在开售后，从另一个终端手动抢购：',
  tryBooks: '它的实时账目，以及上一场活动的账目：',
  tryStop: '按 Ctrl-C 停止服务器并删除其文件夹。',
  tryWaiting: (seconds) => `${seconds} 秒后开售`,
  tryOpen: '已开售',
  stopped: '已停止，没有留下任何东西。',
  failed: (why) => `演示无法运行：${why}`,
};
