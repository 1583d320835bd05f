import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { toPathText } from '../../lib/path-text.ts'
import { Button } from '../../ui/button.tsx'
import { CheckLine } from '../../ui/controls.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { linkClass } from '../../ui/link.ts'
import { Notice } from '../../ui/notice.tsx'
import { InlineError, SkeletonRows } from '../../ui/states.tsx'
import { SecretOnce } from '../identity/secret-once.tsx'
import { useCan } from '../identity/session.ts'
import { sharingQuery } from './queries.ts'
import { ShareList } from './share-list.tsx'

interface ShareDialogProps {
	sessionId: string
	open: boolean
	onClose(): void
}

/** Creates a link to a session, and lists the active ones. */
export function ShareDialog({ sessionId, open, onClose }: ShareDialogProps) {
	const [link, setLink] = useState<string | null>(null)
	const close = () => {
		setLink(null)
		onClose()
	}
	return (
		<Dialog
			open={open}
			onClose={close}
			sticky={link !== null}
			title="Share this session"
			description="Anyone with the link can see this session’s calls. People, agents and IDs are hidden, and text is redacted."
		>
			{link ? (
				<SecretOnce what="link" secret={link} onDone={close} />
			) : (
				<Shares sessionId={sessionId} onMade={setLink} />
			)}
		</Dialog>
	)
}

function Shares({ sessionId, onMade }: { sessionId: string; onMade(url: string): void }) {
	const { data, error } = useQuery(sharingQuery)
	if (error) return <InlineError error={error} />
	if (!data) return <SkeletonRows rows={3} />
	return (
		<>
			{data.enabled ? <ShareForm sessionId={sessionId} onMade={onMade} /> : <SharingOff />}
			<h3 className="mt-5 mb-1 font-semibold">Open links</h3>
			<ShareList sessionId={sessionId} />
		</>
	)
}

function SharingOff() {
	return (
		<Notice tone="idle" title="Sharing is off in this workspace">
			An admin turns it on under{' '}
			<Link to="/workspace" search={{ tab: 'settings' }} className={linkClass}>
				Settings → Settings
			</Link>
			.
		</Notice>
	)
}

const times = [
	{ hours: 24, label: 'One day' },
	{ hours: 168, label: 'One week' },
	{ hours: 720, label: '30 days' },
]

function ShareForm({ sessionId, onMade }: { sessionId: string; onMade(url: string): void }) {
	const queries = useQueryClient()
	const mayShare = useCan('sharing:write')
	const [hours, setHours] = useState(168)
	const [messages, setMessages] = useState(false)
	const create = useMutation({
		mutationFn: () =>
			unwrap(
				api.POST('/v1/spotlight/sessions/{id}/share', {
					params: { path: { id: toPathText(sessionId) } },
					body: { expires_in_hours: hours, messages },
				}),
			),
		onSuccess: ({ url }) => {
			void queries.invalidateQueries({ queryKey: ['sharing'] })
			onMade(url)
		},
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		create.mutate()
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<Field label="Open for">
				{(field) => (
					<Select {...field} value={hours} onChange={(event) => setHours(Number(event.target.value))}>
						{times.map((time) => (
							<option key={time.hours} value={time.hours}>
								{time.label}
							</option>
						))}
					</Select>
				)}
			</Field>
			<CheckLine label="Include messages" checked={messages} onChange={setMessages}>
				Include messages
			</CheckLine>
			{create.error && <InlineError error={create.error} />}
			<DialogActions>
				<Button type="submit" variant="primary" busy={create.isPending} disabled={!mayShare}>
					Create link
				</Button>
			</DialogActions>
		</form>
	)
}
