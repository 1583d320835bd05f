import type { Sealer } from './crypto/seal.ts'
import { Problem } from './errors.ts'

export interface Page {
	page: number
	limit: number
}

/** The pagination block in the response of a list of managed objects. */
export function paginate({ page, limit }: Page, total: number) {
	return { page, limit, total, total_pages: Math.ceil(total / limit) }
}

/** Cursors for one list of one workspace. They are sealed, so a cursor reveals nothing and works for no other list. */
export function createCursors(sealer: Sealer, kind: string) {
	const contextOf = (workspaceId: string) => ({ workspaceId, kind, origin: '', id: '' })
	return {
		seal: (workspaceId: string, position: string): string => sealer.seal(position, contextOf(workspaceId)),
		/** Throws `invalid_request` for anything that is not a cursor of this list. */
		open: (workspaceId: string, cursor: string): string => {
			try {
				return sealer.open(cursor, contextOf(workspaceId))
			} catch {
				const detail = 'is not a cursor that this list gave'
				throw new Problem('invalid_request', `cursor: ${detail}.`, {
					errors: [{ pointer: '/cursor', code: 'cursor', detail }],
				})
			}
		},
	}
}
