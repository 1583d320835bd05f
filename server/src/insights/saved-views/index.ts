export { askedOf } from './saved-view.ts'
export { findSavedView } from './saved-view-repository.ts'
export { openSavedViews } from './saved-view-routes.ts'
