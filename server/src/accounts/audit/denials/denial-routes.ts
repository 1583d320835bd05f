import { denialOperations } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import type { ControlStore } from '../../../platform/database/index.ts'
import { Problem } from '../../../platform/errors.ts'
import { type BoundOperation, bind } from '../../../platform/http/index.ts'
import type { DenialCounter } from './denial-counter.ts'
import { type DenialCount, listDenials } from './denial-repository.ts'

type Position = Pick<DenialCount, 'minute' | 'address' | 'code'>

export function denialRoutes(store: ControlStore, sealer: Sealer, counter: DenialCounter): BoundOperation[] {
	return bind(denialOperations, {
		list: async ({ query }) => {
			await counter.flush()
			const after = query.cursor === undefined ? null : openCursor(sealer, query.cursor)
			const rows = await listDenials(store.db, after, query.limit + 1)
			const shown = rows.slice(0, query.limit)
			const last = rows.length > query.limit ? shown.at(-1) : undefined
			return {
				denials: shown.map(({ minute, ...row }) => ({ minute: toIso(minute), ...row })),
				next_cursor: last ? sealCursor(sealer, last) : null,
			}
		},
	})
}

const cursorContext = { workspaceId: '', kind: 'denial_cursor', origin: '', id: '' }

function sealCursor(sealer: Sealer, { minute, address, code }: Position): string {
	return sealer.seal(JSON.stringify({ minute, address, code }), cursorContext)
}

function openCursor(sealer: Sealer, cursor: string): Position {
	try {
		return JSON.parse(sealer.open(cursor, cursorContext)) as Position
	} catch {
		const detail = 'is not a cursor that this list gave'
		throw new Problem('invalid_request', `cursor: ${detail}.`, {
			errors: [{ pointer: '/cursor', code: 'cursor', detail }],
		})
	}
}
