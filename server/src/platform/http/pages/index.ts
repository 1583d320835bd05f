export { pageRoutes } from './pages.ts'
export { newNonce, sendBytes, strictPolicy } from './static-files.ts'
