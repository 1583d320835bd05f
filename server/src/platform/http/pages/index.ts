export { newNonce, strictPolicy } from './content-security.ts'
export { pageRoutes } from './pages.ts'
export { sendBytes } from './send.ts'
