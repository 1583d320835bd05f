export { pageRoutes } from './pages.ts'
