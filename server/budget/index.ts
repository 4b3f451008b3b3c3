/** Front door of the budget: prices, ceilings, purses, and what was spent. */
export { type Ceilings, mapCeilings, readCeilings, setBounds, setCeilings } from './ceilings.ts'
export { readChatSpend } from './chat-spend.ts'
export { exportLimits, exportSpend } from './export.ts'
export { listedPrices, priceSources, pricesCheckedOn } from './price-table.ts'
export { mostOwnPrices, readOwnPrices, removePrice, setPrice } from './prices.ts'
export { type Budget, createBudget, type Payer } from './purse.ts'
export { describeBounds, describeToday, reportSpend } from './report.ts'
