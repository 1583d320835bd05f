import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Schemas, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Panel } from '../../ui/page.tsx'
import { Badge, type Tone } from '../../ui/status.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { Loaded } from './loaded.tsx'
import { signingKeysQuery } from './queries.ts'

type SigningKey = Schemas['SigningKey']

const states: Record<SigningKey['status'], { tone: Tone; label: string }> = {
	next: { tone: 'accent', label: 'signs in a moment' },
	signing: { tone: 'ok', label: 'signs' },
	verifying: { tone: 'idle', label: 'verifies until its last token ends' },
}

/** The keys that sign people's access tokens. */
export function SigningKeysPanel() {
	const [asked, setAsked] = useState<'soon' | 'now' | null>(null)
	const queries = useQueryClient()
	const rotate = async () => {
		const body = { immediate: asked === 'now' }
		queries.setQueryData(
			signingKeysQuery.queryKey,
			await unwrap(api.POST('/v1/instance/signing-keys/rotate', { body })),
		)
		toast(asked === 'now' ? 'The old keys have ended' : 'A new key signs in a moment')
	}
	return (
		<Panel
			title="Signing keys"
			flush
			actions={
				<>
					<Button small icon="refresh" onClick={() => setAsked('soon')}>
						New key
					</Button>
					<Button small variant="danger" onClick={() => setAsked('now')}>
						A key leaked
					</Button>
				</>
			}
		>
			<Loaded query={useQuery(signingKeysQuery)}>
				{({ signing_keys }) => <KeyRows keys={signing_keys} />}
			</Loaded>
			<Confirm
				open={asked !== null}
				onClose={() => setAsked(null)}
				title={asked === 'now' ? 'End the current keys immediately?' : 'Sign with a new key?'}
				text={
					asked === 'now'
						? 'Every access token is refused at once; browsers renew theirs without anybody noticing. Sessions go on.'
						: 'It happens automatically every 90 days. Nobody notices: the old key verifies until its last token has ended.'
				}
				action={asked === 'now' ? 'End the keys' : 'Make a new key'}
				run={rotate}
			/>
		</Panel>
	)
}

function KeyRows({ keys }: { keys: readonly SigningKey[] }) {
	return (
		<Table label="Signing keys">
			<thead>
				<tr>
					<Th>Key</Th>
					<Th>State</Th>
					<Th right>Made</Th>
				</tr>
			</thead>
			<tbody>
				{keys.map(({ id, status, created_at }) => (
					<Row key={id}>
						<Td className="font-mono text-xs whitespace-nowrap">{id}</Td>
						<Td>
							<Badge tone={states[status].tone}>{states[status].label}</Badge>
						</Td>
						<Td right className="text-ink-2">
							<Ago at={created_at} />
						</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}
