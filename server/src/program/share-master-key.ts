import type { MasterKeyRotation } from '../platform/crypto/master-key-rotation.ts'
import type { Processes } from '../platform/processes/index.ts'

const fileChanged = 'master-key.changed'

/** Lets workers read the master key anew when the primary replaces it: they open what it seals from then on. */
export function shareMasterKey(masterKey: MasterKeyRotation, processes: Processes): void {
	processes.answer(fileChanged, () => masterKey.reread())
	masterKey.onFile(() => processes.tell('all', fileChanged))
}
