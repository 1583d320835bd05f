import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { formatCount } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Facts, Panel } from '../../ui/page.tsx'
import { Badge } from '../../ui/status.tsx'
import { Ago } from '../../ui/time.tsx'
import { Loaded } from './loaded.tsx'
import { type MasterKey, masterKeyQuery } from './queries.ts'

/** Which key seals the stored secrets, and the progress of its replacement. */
export function MasterKeyPanel() {
	const [isOpen, setIsOpen] = useState(false)
	const [leaving, setLeaving] = useState<string | null>(null)
	const query = useQuery(masterKeyQuery(leaving))
	const isRunning = query.data?.key_id === leaving || query.data?.rotation?.state === 'running'
	const rotate = async () => {
		await unwrap(api.POST('/v1/instance/master-key/rotate'))
		setLeaving(query.data?.key_id ?? null)
	}
	const rotateButton = query.data?.source === 'file' && (
		<Button small icon="refresh" disabled={isRunning} onClick={() => setIsOpen(true)}>
			Replace master key
		</Button>
	)
	return (
		<Panel title="Master key" actions={rotateButton}>
			<Loaded query={query}>{(key) => <MasterKeyState masterKey={key} />}</Loaded>
			<Confirm
				open={isOpen}
				onClose={() => setIsOpen(false)}
				title="Replace the master key?"
				text="Every stored secret is re-encrypted while the instance keeps running. Back up the new master.key afterwards: without it, no secret can be decrypted."
				action="Replace key"
				run={rotate}
			/>
		</Panel>
	)
}

function MasterKeyState({ masterKey: { key_id, source, rotation } }: { masterKey: MasterKey }) {
	return (
		<>
			<Facts
				facts={[
					[
						'Key',
						<code key="id" className="font-mono text-xs break-all">
							{key_id}
						</code>,
					],
					[
						'From',
						source === 'file' ? 'master.key in the data directory' : 'the setting SIGNALBOX_MASTER_KEY',
					],
					['Replacement', rotation ? <Progress key="rotation" rotation={rotation} /> : 'none runs'],
				]}
			/>
			{source === 'setting' && (
				<Notice tone="idle" className="mt-4">
					To replace it, set the new key as SIGNALBOX_MASTER_KEY and the present one as
					SIGNALBOX_MASTER_KEY_PREVIOUS, then restart.
				</Notice>
			)}
			{rotation?.error && (
				<Notice tone="bad" title="The replacement has stopped" className="mt-4">
					{rotation.error}
				</Notice>
			)}
		</>
	)
}

function Progress({ rotation }: { rotation: NonNullable<MasterKey['rotation']> }) {
	const { state, done, total, finished_at } = rotation
	return (
		<span className="grid gap-1.5">
			<span className="flex flex-wrap items-center gap-2" role="status">
				{state === 'done' ? <Badge tone="ok">done</Badge> : <Badge tone="accent">running</Badge>}
				{formatCount(done)} of {formatCount(total)} secrets
				{finished_at && (
					<span className="text-ink-3">
						<Ago at={finished_at} />
					</span>
				)}
			</span>
			{state === 'running' && (
				<progress
					aria-label="Secrets re-encrypted"
					className="h-1.5 w-full max-w-xs accent-accent"
					value={done}
					max={Math.max(1, total)}
				/>
			)}
		</span>
	)
}
