import { showHidden } from '../../lib/show-hidden.ts'
import type { Approval } from './queries.ts'

/** Whose call it is: the person with their client, or the key. Clients name themselves. */
export function describeAsker({ name, user }: NonNullable<Approval['asked_by']>): string {
	return user ? `${user.email} with ${showHidden(name)}` : `the key ${showHidden(name)}`
}
