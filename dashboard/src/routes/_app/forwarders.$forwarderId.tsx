import { createFileRoute } from '@tanstack/react-router'
import { ForwarderScreen } from '../../areas/forwarders/forwarder-screen.tsx'

export const Route = createFileRoute('/_app/forwarders/$forwarderId')({ component: ForwarderScreen })
