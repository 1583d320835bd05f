import { showHidden } from '../../lib/show-hidden.ts'
import type { Approval } from './queries.ts'

/** Who made the call: the person with their client, or the key. Client names are claimed by the clients. */
export function describeAsker({ name, user }: NonNullable<Approval['asked_by']>): string {
	return user ? `${user.email} with ${showHidden(name)}` : `the key ${showHidden(name)}`
}
