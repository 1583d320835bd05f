import { toast } from './toast.tsx'

interface Deletion {
	name: string
	remove(): Promise<unknown>
	/** Makes it again as it was; its id is another one. */
	restore(): Promise<unknown>
	/** Reads again what lists show. */
	refresh(): Promise<unknown>
}

/** Deletes at once, and offers to take that back. */
export async function deleteWithUndo({ name, remove, restore, refresh }: Deletion): Promise<void> {
	await remove()
	toast(`${name} is deleted`, async () => {
		await restore()
		await refresh()
	})
	await refresh()
}
