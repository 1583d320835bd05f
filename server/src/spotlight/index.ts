export { openSpotlight } from './routes.ts'
