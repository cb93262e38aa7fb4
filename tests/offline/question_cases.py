"""Clauses and how they are read, for `test_queries.py`.

A reading is the operation, "!" where it is negated, the objects, and what a count is compared to. Objects are given by
labels ("cat/dog"), by the name of a group ("animal"), by "*" for everything or by "?word" for one that no detector
knows; "~" tells that the labels mean more, "[…]" holds what cannot be judged, "-" what is excluded. "-" alone: no
question about objects.
"""

DEVELOPED = """
how many swans are on this page from our holiday album | count bird~
how many dogs are there on the old street photo | count dog
do you see a car in my brother's snapshot | exists car
is there a bus on the back of the card | exists bus[on the back]
on which of these is no person | filter! person
in which picture are more than two dogs | filter dog > 2
what is that in the corner, a cat or a dog? | exists cat, dog
is it a lighthouse or a rocket | exists ?lighthouse, ?rocket
is this a dog? | exists dog
Can you tell me the breed of the dog? | -
isn't that a castle | exists ?castle
are they both really cats? | exists cat
are both of these pictures of dogs | exists dog
which one of these is a bird? | filter bird
which animal is lying there on our terrace | list animal
how many horses are in the field, do you think | count horse
tell me whether a spoon is in it | exists spoon
how many people besides the photographer | count person[besides the photographer]
no dogs in photo.jpg? | exists! dog
how many zebras are in photo.jpg | count zebra
nr of cups? | count cup
no. of people pls | count person
# of chairs? | count chair
how many zebras are lying down | count zebra[lying down]
how many people wearing hats are there in photo.jpg | count person[wearing hats]
count the black cats | count cat[black]
How many cats and dogs are there altogether? | count cat, dog
How many men are in photo.jpg? | count person~
how many kids can you see | count person~
number of bikes in photo.jpg | count bicycle
tell me the number of cars | count car
what is the number of people in this picture? | count person
Count everyone in photo.jpg | count person
count up all the apples | count apple
how many women and children are there | count person~, person~
how many ppl are in photo.jpg | count person
how many animals does photo.jpg show | count animal
how many objects are in the picture | count *
how many things can you see | count *
count the office chairs | count chair[office]
How many cups of tea are on the table? | count cup[of tea; on the table]
how many legs does the bird have | count ?legs[does the bird have]
how many trees are there | count ?trees
How many dogs are to the left of the tree? | count dog[to the left of the tree]
how many people in the background | count person[in the background]
How many people are sitting? | count person[sitting]
how many people are standing next to the bus in photo.jpg | count person[standing next to the bus]
how many of the sheep are white | count sheep[white]
how many cows that are grazing can you find | count cow[that are grazing]
How many lorries and bikes do you see? | count truck, bicycle
how many kittens are in photo.jpg | count cat~
how many hot dogs are there | count hot dog
how many wine glasses are visible | count wine glass
how many big, spotted giraffes are there | count giraffe[big, spotted]
In photo.jpg, how many horses are there? | count horse
photo.jpg - how many birds? | count bird
how many birds? | count bird
please count the sheep in photo.jpg and photo.jpg | count sheep
how many smiling people are there | count person[smiling]
how many red cars | count car[red]
how many people are there in total in photo.jpg and photo.jpg | count person
is there a dog in photo.jpg | exists dog
is there a dog or a cat? | exists dog, cat
Are there any birds? | exists bird
are there NO people in photo.jpg | exists! person
are there no cats | exists! cat
is there anyone in photo.jpg | exists person
is there nobody in photo.jpg | exists! person
do you see a bus | exists bus
can you see any giraffes in photo.jpg? | exists giraffe
Does photo.jpg show a bicycle? | exists bicycle
does the picture contain people | exists person
Any dogs in photo.jpg? | exists dog
any sheep? | exists sheep
is there a big brown dog | exists dog[big brown]
is there a man with a beard in photo.jpg | exists person~[with a beard]
tell me if there is a cat in photo.jpg | exists cat
check whether there are any cars | exists car
is there a tree or a dog? | exists ?tree, dog
are there more than three people in photo.jpg | exists person > 3
are there at least 2 dogs | exists dog >= 2
is there exactly one cat in photo.jpg? | exists cat == 1
are there fewer than five chairs | exists chair < 5
are there at most two cars? | exists car <= 2
do you see more than one person | exists person > 1
are there two dogs in photo.jpg? | exists dog == 2
is there only one zebra | exists zebra == 1
is a person in photo.jpg? | exists person
are people in photo.jpg | exists person
isn't there a cat in photo.jpg | exists cat
which picture has more people | most person
which picture has the most dogs | most dog
which one has more animals, photo.jpg or photo.jpg? | most animal
Which photo shows the fewest cars? | fewest car
which of them has fewer people | fewest person
which of these show a dog | filter dog
which pictures contain people | filter person
which pictures have no people | filter! person
pictures without people | filter! person
Which of the photos do not show a cat? | filter! cat
where are there more people, in photo.jpg or photo.jpg | most person
in which picture are the most giraffes | most giraffe
does photo.jpg have more people than photo.jpg | more person
are there more people in photo.jpg than in photo.jpg | more person
are there more cats than dogs in photo.jpg | more cat, dog
is there more cats or dogs | more cat, dog
are there fewer cars than people | fewer car, person
are there as many cats as dogs | equal cat, dog
do photo.jpg and photo.jpg have the same number of people? | equal person
is the number of people the same in photo.jpg and photo.jpg | equal person
compare the number of giraffes in photo.jpg and photo.jpg | count giraffe
how many more people are in photo.jpg than in photo.jpg | difference person
how many more cats than dogs are there | difference cat, dog
what is the difference in the number of people between photo.jpg and photo.jpg | difference person
sort the pictures by the number of people | sort person
order photo.jpg, photo.jpg and photo.jpg by how many animals they show | sort animal
rank the photos from fewest to most people | sort! person
list everything in photo.jpg except animals | list *-animal
list everything except the dog | list *-dog
what can you see in photo.jpg besides people? | list *-person
name all objects in photo.jpg other than cars and buses | list *-car,bus
which animals are in photo.jpg | list animal
what animals do you see | list animal
what kinds of vehicles are there | list vehicle
name the animal | list animal
what objects are in photo.jpg | list *
find the dog in photo.jpg | count dog
detect all cars | count car
find everything but people in photo.jpg | list *-person
is it sunny in photo.jpg | -
describe photo.jpg | -
what colour is the cup in photo.jpg | -
how much does the repair cost | -
how old is the man in photo.jpg | -
how many times does he say hello in sound.wav | -
read the text in photo.jpg aloud | -
what is the total of the invoice | -
how many words are in notes.txt | -
"""

KEPT_ASIDE = """
would you mind counting the ducks in photo.jpg | count bird~
got any idea how many folks are on this snap? | count person
I'd like to know how many lads there are in photo.jpg | count person~
How many bananas did they put into the bowl? | count banana[did they put into the bowl]
give me a head count for photo.jpg | count person
what's the dog count in photo.jpg | count dog
how many pupils are asleep | count person~[asleep]
how many vehicles were parked on the left side of the road | count vehicle[parked on the left side of the road]
total number of bottles in photo.jpg and photo.jpg please | count bottle
how many suitcases is the woman carrying | count suitcase[the woman carrying]
and how many are there of the green apples | count apple[green]
how many folks have their hands up | count person[have their hands up]
how many different animals appear in photo.jpg | count animal[different]
how many cellphones lie on the table | count cell phone[lie on the table]
tally the umbrellas | count umbrella
how many sofas and armchairs does the room contain | count couch, chair~
Could you count how many teddies are shown? | count teddy bear
how many grown-ups are in it | count person~
how many wooden spoons and silver forks are there | count spoon[wooden], fork[silver]
how many police officers are there | count person~[police]
does anybody appear in photo.jpg | exists person
do any of the photos contain a lorry | exists truck
is a giraffe visible anywhere in photo.jpg? | exists giraffe
can a clock be seen in photo.jpg | exists clock
could you spot a kite on photo.jpg? | exists kite
let me know whether photo.jpg has got a couch in it | exists couch
is there somebody riding a horse | exists person[riding a horse]
are there really no bicycles at all in photo.jpg | exists! bicycle
does photo.jpg lack people | exists! person
is photo.jpg free of cars | exists! car
any chance there is a cat hiding in photo.jpg | exists cat[hiding]
are there a minimum of three horses | exists horse >= 3
is there just a single person in photo.jpg? | exists person == 1
are there over ten people in photo.jpg | exists person > 10
are there less than 4 bottles on the shelf | exists bottle[on the shelf] < 4
has photo.jpg got no more than two boats | exists boat <= 2
is there more than one elephant? | exists elephant > 1
which of the two has the larger number of cows | most cow
who has more people in it, photo.jpg or photo.jpg | most person
which image is the most crowded | -
on which photo do you see the smallest number of people | fewest person
which file contains the highest number of chairs | most chair
are there as many forks as knives on photo.jpg | equal fork, knife
do both pictures show equally many dogs | equal dog
is the count of birds equal in photo.jpg and photo.jpg | equal bird
by how many people does photo.jpg exceed photo.jpg | difference person
how many fewer cars does photo.jpg have than photo.jpg | difference car
do people outnumber dogs in photo.jpg | more person, dog
show me only the photos with a zebra | filter zebra
which ones are without vehicles | filter! vehicle
put the images in order of the number of sheep | sort sheep
what else is in photo.jpg apart from the people | list *-person
Leave the cats aside: what else is in photo.jpg? | list *-cat
apart from people, what can you see in photo.jpg? | list *-person
tell me all the things in photo.jpg, but leave out the furniture | list *-furniture
what's on photo.jpg, ignoring people | list *-person
which fruit is on the table | list fruit[on the table]
locate every traffic light in photo.jpg | count traffic light
how many syllables has the word 'text' | -
what do the people in photo.jpg do | -
are the people in photo.jpg happy | -
how long is sound.wav | -
"""

LATER = """
hey could u tell me how many doggos r in photo.jpg | count ?doggos
What is the quantity of oranges visible here? | count orange
How many individuals does this snapshot depict? | count person
how many of the people have umbrellas | count person[have umbrellas]
how many cars and how many buses are in photo.jpg? | count car, bus
Count every bird and every cat please | count bird, cat
number of horses without riders in photo.jpg | count horse[without riders]
how many passengers are boarding the train | count person~[boarding the train]
can you count how many chairs there are around the table | count chair[around the table]
how many stop signs did you find | count stop sign
how many females are there in photo.jpg | count person~
What number of boats can be seen? | count boat
how many four-legged animals are there | count animal[four-legged]
Just give me the count of sheep. | count sheep
count only the people who are wearing a helmet | count person[who are wearing a helmet]
how many bicycles are there at the moment in photo.jpg, roughly? | count bicycle
how many pizzas were ordered | count pizza[ordered]
How many people, if any, are in photo.jpg? | count person
how many items are on the table | count *[on the table]
how many computers do we have here | count laptop~
is anybody there? | exists person
Is there a phone on the desk in photo.jpg? | exists cell phone[on the desk]
Is there any food in photo.jpg | exists food
are any of the animals cows | exists cow
do you notice a handbag somewhere | exists handbag
Does anyone in photo.jpg wear glasses? | exists person[wear glasses]
Can you see if there's a truck? | exists truck
I wonder whether there are elephants in photo.jpg | exists elephant
there isn't a cat in photo.jpg, is there? | exists! cat
would you say there are more than 5 cars? | exists car > 5
are there three or more people in photo.jpg | exists person >= 3
are there not more than four sheep | exists sheep <= 4
are there between two and five dogs | -
is there a couple of bears | exists bear[couple]
Does photo.jpg have people in it? | exists person
Has photo.jpg any cows? | exists cow
are there both a dog and a cat in photo.jpg | exists dog, cat
is it true that there are no people in photo.jpg | exists! person
which of the three photos has the most sheep in it? | most sheep
Which one shows less people? | fewest person
in which of the images are there more vehicles? | most vehicle
tell me which photo contains the largest number of birds | most bird
who's got more dogs, photo.jpg or photo.jpg? | most dog
Which picture has the lowest number of cars | fewest car
is the number of dogs higher in photo.jpg than in photo.jpg | more dog
are there equally many cats and dogs | equal cat, dog
do both have the same amount of apples | equal apple
are there fewer people in the first than in the second picture | fewer person
what's the difference between the number of cats and the number of dogs | difference cat, dog
how many more people does photo.jpg show compared to photo.jpg | difference person
which photos have at least one dog | filter dog >= 1
which ones don't have any people | filter! person
find the pictures that have a bus in them | filter bus
which of these has neither cats nor dogs | filter! cat, dog
order them by how many people they contain | sort person
rank photo.jpg, photo.jpg and photo.jpg according to the number of dogs, lowest first | sort! dog
list all things apart from vehicles and people | list *-bicycle,car,motorcycle,airplane,bus,train,truck,boat,person
name every object that isn't a person | list *-person
what is in photo.jpg except for the furniture? | list *-furniture
what sort of food can you see | list food
whether people are in it | exists person
whether people are happy | -
is there anything else apart from the bird | list *-bird
how many animals if you leave the bird out, not counting the giraffes either | count animal-bird,giraffe
"""
