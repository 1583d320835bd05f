export { type PagesOptions, pageRoutes } from './pages.ts'
