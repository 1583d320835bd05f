import { MasterKeyPanel } from './master-key-panel.tsx'
import { SigningKeysPanel } from './signing-keys-panel.tsx'

export function InstanceKeys() {
	return (
		<div className="grid gap-4">
			<MasterKeyPanel />
			<SigningKeysPanel />
		</div>
	)
}
