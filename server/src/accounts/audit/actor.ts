import type { Principal } from '../../platform/http/index.ts'

/** Who made a change, as the audit log names it. */
export interface Actor {
	kind: Principal['kind'] | 'system'
	/** Null for the program itself. */
	id: string | null
	/** E-mail of a person, name of a key. */
	name: string
}

export function actorOf(principal: Principal): Actor {
	if (principal.kind === 'user') return { kind: 'user', id: principal.userId, name: principal.email }
	return { kind: principal.kind, id: principal.keyId, name: principal.name }
}

/** The program or its command line; `name` says which. */
export function systemActor(name: string): Actor {
	return { kind: 'system', id: null, name }
}
