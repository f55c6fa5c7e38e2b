import { deliveryContract } from '../contract/delivery.ts';
import { wires } from '../helpers/platform-wires.ts';

for (const [name, wire] of Object.entries(wires)) deliveryContract(name, wire);
