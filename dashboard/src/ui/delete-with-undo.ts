import { ApiError } from '../api.ts'
import { toast, toastFailure } from './toast.tsx'

interface Deletion {
	name: string
	remove(): Promise<unknown>
	/** Creates it again with the same content but another id. */
	restore(): Promise<unknown>
	/** Refreshes the lists that show it. */
	refresh(): Promise<unknown>
}

/** Deletes at once, and offers to undo that. What a second click, or somebody else, has deleted already is only removed from the lists. */
export async function deleteWithUndo({ name, remove, restore, refresh }: Deletion): Promise<void> {
	try {
		await remove()
	} catch (error) {
		const isGone = error instanceof ApiError && error.status === 404
		if (!isGone) toastFailure(`${name} is not deleted. ${error instanceof Error ? error.message : ''}`)
		return void (await refresh())
	}
	toast(`${name} is deleted`, async () => {
		await restore()
		await refresh()
	})
	await refresh()
}
