/** Loaded before a program: lets the clock of its machine be wrong by HOLDFAST_TEST_SKEW milliseconds. */
const skew = Number(process.env['HOLDFAST_TEST_SKEW'])
const RealDate = Date
const now = RealDate.now.bind(RealDate)

globalThis.Date = new Proxy(RealDate, {
  construct: (real, given: number[], self) =>
    Reflect.construct(real, given.length === 0 ? [now() + skew] : given, self),
})
Date.now = () => now() + skew
