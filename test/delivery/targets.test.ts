import { deliveryContract } from '../contract/delivery.ts';
import { wires } from '../helpers/platform-servers.ts';

for (const [name, wire] of Object.entries(wires)) deliveryContract(name, wire);
