import { createFileRoute } from '@tanstack/react-router'
import { ConnectionsScreen } from '../../areas/model-proxy/connections-screen.tsx'

export const Route = createFileRoute('/_app/connections')({ component: ConnectionsScreen })
