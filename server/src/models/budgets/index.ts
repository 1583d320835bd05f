export type { CallOutcome, Hold } from './hold.ts'
export { type Budgets, openBudgets } from './open-budgets.ts'
export type { CallToPay, Spending } from './spending.ts'
