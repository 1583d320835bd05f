import { type FormEvent, useState } from 'react'
import { formatDateTime } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { OvertakenNotice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/page.tsx'
import { InlineError } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useCan } from '../identity/session.ts'
import { describeSandbox } from './describe-program.ts'
import { HostsField } from './hosts-field.tsx'
import { parseHosts } from './program-texts.ts'
import { type Program, useProgram } from './queries.ts'
import { Acceptance } from './write-acceptance.tsx'

/** The isolation of the program from the machine, and the hosts it may reach. */
export function SandboxPanel({ serverId, program }: { serverId: string; program: Program }) {
	const { tone, title, text } = describeSandbox(program)
	const accepted = program.sandbox === 'none' ? program.accepted_without_sandbox : program.accepted
	return (
		<Panel
			title={
				<span className="flex items-center gap-2">
					Isolation <Badge tone={tone}>{title}</Badge>
				</span>
			}
		>
			<div className="grid gap-4">
				<p className="max-w-2xl text-ink-2">{text}</p>
				{accepted ? (
					<Accepted serverId={serverId} {...accepted} isBare={program.sandbox === 'none'} />
				) : (
					<Acceptance serverId={serverId} program={program} />
				)}
				<AllowedHosts key={program.allowed_hosts.join()} serverId={serverId} program={program} />
			</div>
		</Panel>
	)
}

interface AcceptedProps {
	serverId: string
	by: string
	at: string
	isBare: boolean
}

function Accepted({ serverId, by, at, isBare }: AcceptedProps) {
	const canChange = useCan('programs:write')
	const { withdraw } = useProgram(serverId)
	const [isAsking, setIsAsking] = useState(false)
	return (
		<div
			className={`flex flex-wrap items-center justify-between gap-3 rounded-md px-3 py-2 ${isBare ? 'bg-warn-soft text-warn' : 'bg-sunken'}`}
		>
			<p className="max-w-xl">
				{by} accepted {isBare ? 'in writing ' : ''}on {formatDateTime(at)} that it runs{' '}
				{isBare ? 'without a' : 'in its'} sandbox. It holds for this command, these arguments and variables,
				and this package.
			</p>
			<Button variant="danger" disabled={!canChange} onClick={() => setIsAsking(true)}>
				Withdraw
			</Button>
			<Confirm
				open={isAsking}
				onClose={() => setIsAsking(false)}
				title="Withdraw the acceptance?"
				text="The program stops immediately, and its calls fail."
				action="Withdraw"
				run={() => withdraw.mutateAsync()}
			/>
		</div>
	)
}

function AllowedHosts({ serverId, program }: { serverId: string; program: Program }) {
	const saved = program.allowed_hosts.join('\n')
	const edited = useDraft({ text: saved }, `hosts of ${serverId}`)
	const { text } = edited.draft
	const canChange = useCan('programs:write')
	const { allow } = useProgram(serverId)
	const read = parseHosts(text)
	const submit = (event: FormEvent) => {
		event.preventDefault()
		if ('hosts' in read) allow.mutate({ shown: program, hosts: read.hosts }, { onSuccess: edited.reset })
	}
	return (
		<form onSubmit={submit} className="grid max-w-lg gap-3 border-t border-line pt-4">
			<HostsField value={text} onChange={(next) => edited.setDraft({ text: next })} disabled={!canChange} />
			{program.sandbox === 'none' && (
				<p className="text-xs text-ink-3">Without a sandbox, these host limits are not enforced.</p>
			)}
			{!allow.isPending && <OvertakenNotice edited={edited} />}
			{allow.error && <InlineError error={allow.error} />}
			<Button
				type="submit"
				variant="primary"
				className="justify-self-start"
				busy={allow.isPending}
				disabled={!canChange || 'wrong' in read || read.hosts.join('\n') === saved}
			>
				Save hosts
			</Button>
		</form>
	)
}
