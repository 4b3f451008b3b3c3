/** Front door of the budget: prices, ceilings, purses, and what was spent. */
export { type Ceilings, mapCeilings, readBounds, readCeilings, setBounds, setCeilings, usualCeilings } from './ceilings.ts'
export { outputReserve } from './cost.ts'
export { listedPrices, priceSources, pricesCheckedOn } from './price-table.ts'
export { readOwnPrices, removePrice, setPrice } from './prices.ts'
export { type Budget, createBudget, type Payer } from './purse.ts'
