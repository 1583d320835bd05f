export { type Overload, watchOverload } from './overload.ts'
