import { workspacePath } from '../../lib/base-url.ts'

/** Opens a workspace by id or short name with a full page load, so that nothing of another one stays on the screen. */
export function enterWorkspace(idOrSlug: string): void {
	location.assign(`${workspacePath(idOrSlug)}/`)
}
