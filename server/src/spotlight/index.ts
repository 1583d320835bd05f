export { openSpotlight, type SpotlightDependencies } from './routes.ts'
