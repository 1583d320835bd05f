import { api, take } from '../../api.ts'

/** Loads the page anew, so that nothing of one workspace stays on the screen of another. */
export async function enterWorkspace(id: string): Promise<void> {
	await take(api.POST('/auth/switch', { body: { workspace_id: id } }))
	location.assign('/ui/')
}
