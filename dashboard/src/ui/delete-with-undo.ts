import { toast } from './toast.tsx'

interface Deletion {
	name: string
	remove(): Promise<unknown>
	/** Creates it again with the same content but another id. */
	restore(): Promise<unknown>
	/** Refreshes the lists that show it. */
	refresh(): Promise<unknown>
}

/** Deletes at once, and offers to undo that. */
export async function deleteWithUndo({ name, remove, restore, refresh }: Deletion): Promise<void> {
	await remove()
	toast(`${name} is deleted`, async () => {
		await restore()
		await refresh()
	})
	await refresh()
}
